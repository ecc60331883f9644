import assert from 'node:assert/strict';
import { DATABASES, openTestDesk, type TestDesk } from '../support/desk.ts';
import { aConversation, aRun } from '../support/facts.ts';

for (const kind of DATABASES)
  describe(`the namespace of a desk’s runs, on ${kind}`, () => {
    let opened: TestDesk;
    before(async () => {
      opened = await openTestDesk(kind);
    });
    after(async () => opened.close());

    it('is the first that was told, and another only once no run is live', async () => {
      const { home, runs } = opened.desk;
      const told = [await home.namespace('first'), await home.namespace('second')];
      const run = aRun(aConversation().subject);
      await runs.insertIfAbsent(run);
      told.push(await home.namespace('third'));
      const end = { status: 'COMPLETED', reason: 'goal_reached', endedAt: run.attachedAt, nextRunAt: null } as const;
      await runs.recordEnd({ run: { ...run, ...end, phase: null }, unhandled: [] });
      told.push(await home.namespace('third'));
      assert.deepEqual(told, ['first', 'second', 'second', 'third']);
    });
  });
