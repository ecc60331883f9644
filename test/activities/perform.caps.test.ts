import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { sql } from 'drizzle-orm';
import { referenceOf } from '../../src/activities/claim.ts';
import { perform } from '../../src/activities/perform.ts';
import type { ActivityDeps } from '../../src/activities/deps.ts';
import type { Channel, OutgoingMessage } from '../../src/channels/channel.ts';
import type { AttachmentId } from '../../src/domain/ids.ts';
import { effectKey, parseEffectKey, runWorkflowId } from '../../src/domain/ids.ts';
import { Effect, type EffectInput } from '../../src/domain/schemas/effects.ts';
import { resolvePolicy, type PolicyInput } from '../../src/domain/schemas/policy.ts';
import type { PerformInput } from '../../src/workflows/activity-types.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { activityDeps } from '../support/given.ts';
import { aConversation, ACME, ANSWERING, LEAD } from '../support/facts.ts';

const TEMPLATE = { name: 'reminder', language: 'en', parameters: ['Ana'] };
const REMIND = { kind: 'message.send', template: TEMPLATE, proactive: true } as const;

describe('a send and the caps', () => {
  let opened: TestDesk;
  let deps: ActivityDeps;
  let accepted: OutgoingMessage[];
  before(async () => {
    opened = await openTestDesk();
  });
  after(() => opened.close());
  beforeEach(() => {
    accepted = [];
    const channel: Channel = {
      kind: 'whatsapp',
      key: 'whatsapp:100',
      hasServiceWindow: true,
      sendsPerSecond: 80,
      send: async (message) => ({ providerId: `wamid.${accepted.push(message)}` }),
      findSent: async () => ({ found: 'no' }),
    };
    deps = activityDeps(opened.desk, { channels: { get: () => channel } });
  });

  async function aSend(effect: EffectInput, policy: PolicyInput): Promise<PerformInput> {
    const { id, subject } = aConversation();
    const contact = { address: `person-${id}` };
    await opened.desk.conversations.ensure({ tenant: ACME, id, channel: 'whatsapp:100', contact });
    const workflowId = runWorkflowId({ tenant: ACME, subject, slot: ANSWERING });
    const attachment = randomUUID() as AttachmentId;
    const attachedAt = new Date(Date.now() - 3_600_000).toISOString();
    return {
      run: { workflowId, attachment, attachedAt, tenant: ACME, subject, slot: ANSWERING, agent: LEAD },
      policy: resolvePolicy({ quietHours: null, ...policy }),
      key: effectKey({ workflowId, attachment, tick: 1, n: 0 }),
      effect: Effect.parse(effect),
      since: new Date().toISOString(),
      performs: 0,
    };
  }
  const run = (input: PerformInput) => new MockActivityEnvironment().run(async () => perform(deps, input));

  it('says the template when this send is the last that the caps allow', async () => {
    const input = await aSend(REMIND, { proactivePerDay: 1, sendsPerMinute: 1 });
    assert.deepEqual(await run(input), { result: 'done' });
    assert.deepEqual(
      accepted.map(({ content }) => content),
      [{ kind: 'template', template: TEMPLATE }],
    );
  });

  it('does not count against a message the send by which it did not arrive', async () => {
    const input = await aSend(REMIND, { proactivePerDay: 1, sendsPerMinute: 1 });
    const again = { ...input, key: effectKey({ ...parseEffectKey(input.key), again: 1 }) };
    const another = { ...input, key: effectKey({ ...parseEffectKey(input.key), n: 1 }) };
    assert.deepEqual([await run(input), await run(again)], [{ result: 'done' }, { result: 'done' }]);
    assert.match(JSON.stringify(await run(another)), /"parked"/);
    assert.equal(accepted.length, 2);
  });

  it('repeats at once what is known not to have gone out, whatever the caps say of the lost attempt', async () => {
    const input = await aSend(REMIND, { proactivePerDay: 1, sendsPerMinute: 1 });
    const { key, effect } = input;
    const { tenant, subject, attachment } = input.run;
    const reference = referenceOf(key);
    await opened.desk.ledger.claim({ key, tenant, subject, attachment, effect, reference, attempt: 'dead' });
    await opened.desk.ledger.beginSending(key, 'dead', 'claimed');
    // The provider's time to answer the lost attempt is over.
    await opened.desk.database.execute(sql`update ledger set sending_since = sending_since - interval '45 seconds'`);
    assert.deepEqual(await run(input), { result: 'done' });
    assert.equal(accepted.length, 1);
  });
});
