import assert from 'node:assert/strict';
import { DATABASES, openTestDesk, type TestDesk } from '../support/desk.ts';
import { ACME, aConversation, aRun, ANSWERING, at } from '../support/facts.ts';

for (const kind of DATABASES) {
  describe(`what people ask of a run while it thinks, on ${kind}`, () => {
    let opened: TestDesk;
    before(async () => {
      opened = await openTestDesk(kind);
    });
    after(() => opened.close());

    /** A tick that began at 10:00 and would run next at 18:00; meanwhile somebody asked for this. */
    async function tickedAfter(act: 'pause' | 'snooze', asked: string) {
      const { subject } = aConversation();
      const run = aRun(subject);
      const { runs, acts } = opened.desk;
      await runs.insertIfAbsent(run);
      await acts.record({
        tenant: ACME,
        subject,
        slot: ANSWERING,
        attachment: run.id,
        act,
        actor: 'ana',
        comment: null,
        at: asked,
      });
      const snoozed = act === 'snooze' ? { nextRunAt: at('23:00:00'), nextRunWhy: 'snoozed by ana' } : {};
      await runs.recordPhase({ attachment: run.id, phase: act === 'pause' ? 'paused' : 'asleep', ...snoozed });
      const outcome = { kind: 'reschedule', nextRunAt: at('18:00:00'), why: 'later', effects: [] } as const;
      const times = { dueAt: at('10:00:00'), startedAt: at('10:00:00'), endedAt: at('10:00:30') };
      await runs.recordTick({
        tick: { attachment: run.id, tick: 1, attempt: 1, why: 'due', ...times, events: [], outcome },
        run: { state: {}, nextRunAt: at('18:00:00'), nextRunWhy: 'later', failures: 0 },
      });
      const stored = await runs.get({ tenant: ACME, subject, slot: ANSWERING });
      return [stored?.phase, stored?.nextRunAt, stored?.nextRunWhy];
    }

    it('keeps a snooze and a pause that came after the tick had begun', async () => {
      assert.deepEqual(await tickedAfter('snooze', at('10:00:10')), ['asleep', at('23:00:00'), 'snoozed by ana']);
      assert.deepEqual(await tickedAfter('pause', at('10:00:10')), ['paused', at('18:00:00'), 'later']);
    });

    it('goes by the tick where they came before it', async () => {
      assert.deepEqual(await tickedAfter('snooze', at('09:00:00')), ['asleep', at('18:00:00'), 'later']);
      assert.deepEqual(await tickedAfter('pause', at('09:00:00')), ['asleep', at('18:00:00'), 'later']);
    });
  });
}
