import assert from 'node:assert/strict';
import { appointmentReminder } from '../../src/agents/appointment-reminder/appointment-reminder.ts';
import { rehearse, type Rehearsal, type RehearsalOptions } from '../../src/testing.ts';

// São Paulo is three hours behind UTC: the appointment is at 14:30 on Tuesday the 9th.
const startsAt = '2026-06-09T17:30:00Z';
const start = (config: object = {}, more: Partial<RehearsalOptions> = {}): Promise<Rehearsal> =>
  rehearse(appointmentReminder, {
    at: '2026-06-02T12:00:00.000Z',
    contact: { timeZone: 'America/Sao_Paulo' },
    config: { startsAt, ...config },
    ...more,
  });
const times = ({ sent }: Rehearsal): string[] => sent.map(({ at }) => at);

describe('appointment-reminder', () => {
  it('reminds the evening before on the contact’s clock, and two hours before, and is done', async () => {
    const visit = await start();
    await visit.advance('8d');
    assert.deepEqual(times(visit), ['2026-06-08T21:00:00.000Z', '2026-06-09T15:30:00.000Z']);
    assert.deepEqual([visit.run.status, visit.run.reason, visit.run.ticks], ['COMPLETED', 'goal_reached', 3]);
  });

  it('keeps to the wall clock where summer time begins between attaching and reminding', async () => {
    // Clocks in New York went forward on 8 March 2026.
    const visit = await start(
      { startsAt: '2026-03-09T15:00:00Z', reminders: [{ daysBefore: 1, at: '18:00' }] },
      { at: '2026-03-01T12:00:00.000Z', contact: { timeZone: 'America/New_York' } },
    );
    assert.equal(visit.run.nextRunAt, '2026-03-08T22:00:00.000Z');
  });

  it('says what it is, in the customer’s language, with the local time, what and where', async () => {
    const visit = await start(
      { what: { pt: 'sua consulta' }, where: 'Rua A, 1', reminders: [{ before: '1d' }] },
      { unanswered: ['Oi, boa tarde, quanto custa?'], tenantName: 'Clínica Mar' },
    );
    await visit.advance('8d');
    const text = visit.sent[0]?.text ?? '';
    assert.match(text, /^Olá! Aqui é o assistente automático de Clínica Mar.*: sua consulta, .*9.*14:30, Rua A, 1\./);
    const own = await start({ message: 'See you on {when}!', reminders: [{ before: '1d' }] });
    await own.advance('8d');
    assert.match(own.sent[0]?.text ?? '', /^See you on .*14:30!$/);
  });

  it('makes up for nothing that had passed, and gives up where nothing is left', async () => {
    const late = await start({}, { at: '2026-06-09T01:00:00.000Z' });
    await late.advance('1d');
    assert.deepEqual(times(late), ['2026-06-09T15:30:00.000Z']);
    const tooLate = await start({}, { at: '2026-06-09T17:00:00.000Z' });
    assert.deepEqual([tooLate.run.status, tooLate.run.reason, tooLate.sent.length], ['COMPLETED', 'gave_up', 0]);
  });

  it('has one reminder wait for the morning, not two', async () => {
    const visit = await start({
      startsAt: '2026-06-09T12:00:00Z',
      reminders: [{ before: '4h' }, { before: '2h' }, { before: '5m' }],
    });
    await visit.advance('8d');
    // Eight o'clock in São Paulo; then five minutes before.
    assert.deepEqual(times(visit), ['2026-06-09T11:00:00.000Z', '2026-06-09T11:55:00.000Z']);
  });

  it('goes on beside the customer’s words, and sleeps towards an appointment of years ahead', async () => {
    const visit = await start();
    await visit.customer.says('see you then');
    await visit.advance('8d');
    assert.equal(visit.sent.length, 2);
    const far = await start({ startsAt: '2028-06-09T17:30:00Z', reminders: [{ before: '1d' }] });
    await far.advance('740d');
    assert.deepEqual(times(far), ['2028-06-08T17:30:00.000Z']);
  });
});
