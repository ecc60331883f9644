import assert from 'node:assert/strict';
import { recordEnd, recordTakenBack } from '../../src/activities/records.ts';
import type { WorkflowId } from '../../src/domain/ids.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { aClaim, accepted, aConversation, ACME, aRun, at, fact, text } from '../support/facts.ts';
import { activityDeps } from '../support/given.ts';

describe('what a run takes back', () => {
  let opened: TestDesk;
  before(async () => {
    opened = await openTestDesk('PGlite', { subscribers: () => ['crm'] });
  });
  after(() => opened.close());

  it('is told to people, once, where it was not done in time, though it was never tried', async () => {
    const { desk } = opened;
    const run = aRun(aConversation().subject);
    const identity = { ...run, workflowId: run.workflowId as WorkflowId, attachment: run.id };
    const [late, unwanted] = [0, 1].map((n) => aClaim(run, { kind: 'message.send', text: 'Hello' }, n));
    assert.ok(late !== undefined && unwanted !== undefined);
    const failed = { key: late.key, reason: 'went_ahead', failed: true, effect: late.effect } as const;
    for (const taken of [failed, failed, { key: unwanted.key, reason: 'customer_wrote' }])
      await recordTakenBack({ desk }, identity, taken);
    assert.deepEqual([(await desk.ledger.get(late.key))?.state, await desk.ledger.get(unwanted.key)], ['failed', null]);
    const { items } = await desk.outbox.list({ tenant: ACME, limit: 10 });
    assert.deepEqual(
      items.map(({ type, subject }) => [type, subject]),
      [['effect.failed', run.subject]],
    );
  });
});

describe('what a run leaves unconsumed', () => {
  let opened: TestDesk;
  before(async () => {
    opened = await openTestDesk();
  });
  after(() => opened.close());

  const end = (run: ReturnType<typeof aRun>, unhandled: readonly string[]) => {
    const identity = { ...run, workflowId: run.workflowId as WorkflowId, attachment: run.id };
    const closed = { status: 'EXITED_ON_OUTBOUND', reason: 'closed_by_human', phase: null, nextRunAt: null } as const;
    const view = { ...identity, ...closed, policy: null, endedAt: at('10:00:30') };
    const left = unhandled.map((id, seq) => ({ id, seq, type: 'message.inbound', at: at('10:00:00') }));
    return recordEnd(activityDeps(opened.desk, {}), { run: identity, view, unhandled: left, cancelled: [] } as never);
  };

  it('is for others, but for what a human had done with by closing the conversation: no later agent answers that', async () => {
    const { desk } = opened;
    for (const [writesAgain, goesOn] of [
      [false, 0],
      [true, 1],
    ] as const) {
      const { subject } = aConversation();
      const run = aRun(subject, { attachedAt: at('09:00:00') });
      const hear = async (time: string, event: object) => {
        const stored = fact(subject, { type: 'message.inbound', time: at(time), data: text(time), ...event });
        const { key } = accepted(await desk.intake.store(stored)).event;
        await desk.events.markDelivered(key, [run.id]);
        return key;
      };
      const unhandled = [await hear('10:00:00', {})];
      await hear('10:00:05', { type: 'conversation.closed', data: { by: 'ana' } });
      if (writesAgain) unhandled.push(await hear('10:00:10', {}));
      await end(run, unhandled);
      const undelivered = await desk.events.undelivered({ olderThanMs: 0, limit: 100 });
      const again = undelivered.map(({ key }) => key).filter((key) => unhandled.includes(key));
      assert.deepEqual(again, unhandled.slice(1, 1 + goesOn));
    }
  });
});
