import assert from 'node:assert/strict';
import { recordTakenBack } from '../../src/activities/records.ts';
import type { WorkflowId } from '../../src/domain/ids.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { aClaim, aConversation, ACME, aRun } from '../support/facts.ts';

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
