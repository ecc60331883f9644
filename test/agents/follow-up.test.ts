import assert from 'node:assert/strict';
import { followUp } from '../../src/agents/follow-up/follow-up.ts';
import { rehearse, type Rehearsal, type RehearsalOptions } from '../../src/testing.ts';

// A Tuesday; São Paulo is three hours behind UTC.
const start = (more: Partial<RehearsalOptions> = {}): Promise<Rehearsal> =>
  rehearse(followUp, {
    at: '2026-06-02T12:00:00.000Z',
    timeZone: 'UTC',
    contact: { timeZone: 'America/Sao_Paulo' },
    ...more,
  });

describe('follow-up', () => {
  it('writes at ten in the morning of the contact, on working days, with growing gaps, then gives up', async () => {
    const lead = await start({ unanswered: ['hello'] });
    await lead.advance('60d');
    // Thursday; Monday, four days later; Tuesday, eight days later.
    assert.deepEqual(
      lead.sent.map(({ at }) => at),
      ['2026-06-04T13:00:00.000Z', '2026-06-08T13:00:00.000Z', '2026-06-16T13:00:00.000Z'],
    );
    assert.deepEqual(
      [lead.run.status, lead.run.reason, lead.run.comment],
      ['COMPLETED', 'gave_up', 'no reply to 3 messages'],
    );
  });

  it('ends on the customer’s reply, and leaves the answer to others', async () => {
    const lead = await start({ unanswered: ['hello'] });
    await lead.advance('3d');
    await lead.customer.says('yes, still interested');
    assert.deepEqual(
      [lead.run.status, lead.run.reason, lead.sent.length],
      ['EXITED_ON_INBOUND', 'customer_replied', 1],
    );
  });

  it('takes what was written before it was attached for the silence, and what is written after for a reply', async () => {
    const lead = await start({ unanswered: ['hello'] });
    assert.equal(lead.run.status, 'IN_PROGRESS');
    await lead.customer.says('hello?');
    assert.equal(lead.run.reason, 'customer_replied');
    assert.equal(lead.sent.length, 0);
  });

  it('says honestly what it is, in the customer’s language, and calls its last message the last', async () => {
    const lead = await start({
      unanswered: ['Oi, boa tarde, quanto custa?'],
      tenantName: 'Hotel Mar',
      config: { maxFollowUps: 2 },
    });
    await lead.advance('60d');
    assert.match(lead.sent[0]?.text ?? '', /^Olá! Aqui é o assistente automático de Hotel Mar/);
    assert.match(lead.sent[1]?.text ?? '', /última mensagem/);
  });

  it('uses the configured words and time', async () => {
    const lead = await start({ config: { at: '18:30', weekdays: [6], messages: ['Are you coming?'] } });
    await lead.advance('6d');
    assert.deepEqual(
      lead.sent.map(({ at, text }) => [at, text]),
      [['2026-06-06T21:30:00.000Z', 'Are you coming?']],
    );
  });

  it('gives up outside the 24-hour window without a template, and writes with one', async () => {
    const without = await start({ hasServiceWindow: true, unanswered: ['hello'] });
    await without.advance('60d');
    assert.deepEqual(
      without.refused.map(({ reason }) => reason),
      ['window_closed'],
    );
    assert.equal(without.run.comment, 'a message could not be sent: window_closed');
    const within = await start({
      hasServiceWindow: true,
      unanswered: ['hello'],
      config: { template: { name: 'again', language: 'en' } },
    });
    await within.advance('60d');
    assert.deepEqual(
      within.sent.map(({ template }) => template?.name),
      ['again', 'again', 'again'],
    );
  });

  it('gives up on somebody who has stopped marketing messages, and writes to one who resumed them', async () => {
    const lead = await start({ unanswered: ['hello'] });
    const prefers = async (marketing: string) => lead.event({ type: 'contact.updated', data: { marketing } });
    await prefers('stopped');
    await prefers('resumed');
    await lead.advance('3d');
    assert.equal(lead.sent.length, 1);
    await prefers('stopped');
    await lead.advance('60d');
    assert.deepEqual(
      [lead.sent.length, lead.refused.map(({ reason }) => reason), lead.run.comment],
      [1, ['marketing_stopped'], 'a message could not be sent: marketing_stopped'],
    );
  });

  it('waits for somebody to write to and doubles nothing meanwhile', async () => {
    const lead = await start({ contact: null });
    await lead.advance('20d');
    assert.deepEqual([lead.sent.length, lead.run.state['followUps'], lead.run.status], [0, 1, 'IN_PROGRESS']);
  });
});
