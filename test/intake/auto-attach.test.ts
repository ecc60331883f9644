import assert from 'node:assert/strict';
import { leadQualification } from '../../src/agents/lead-qualification/lead-qualification.ts';
import { createRegistry } from '../../src/agents/registry.ts';
import type { DeliverableEvent, RunRecord } from '../../src/desk/desk.ts';
import { parseConversationId, type Subject } from '../../src/domain/ids.ts';
import { ChatwootConfig } from '../../src/channels/chatwoot/config.ts';
import { parseChatwootWebhook } from '../../src/channels/chatwoot/parse-webhook.ts';
import { deliver } from '../../src/intake/deliver.ts';
import { createHandBacks } from '../../src/intake/hand-back.ts';
import { createReconciler } from '../../src/intake/reconcile.ts';
import type { AgentRunInput } from '../../src/workflows/agent-run-input.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { accepted, ACME, aConversation, aRun, at, fact, LEAD, text } from '../support/facts.ts';
import { intakeDeps, temporalOf } from '../support/given.ts';

/** What Temporal was asked to start; nothing runs there, so nothing is found there. */
function recordingClient() {
  const started: AgentRunInput[] = [];
  const notFound = async () => Promise.reject(Object.assign(new Error('not found'), { code: 5 }));
  const client = temporalOf({
    getHandle: () => ({ signal: async () => Promise.resolve(), describe: notFound }),
    async signalWithStart(_: unknown, { args: [input] }: { args: [AgentRunInput] }) {
      started.push(input);
      return Promise.resolve({ signaledRunId: 'started' });
    },
  });
  return { started, client };
}

describe('a rule that attaches an agent', () => {
  let opened: TestDesk;
  before(async () => {
    opened = await openTestDesk();
  });
  after(() => opened.close());

  /** Delivers an event of this type on the subject; answers how many runs it started. */
  async function deliverTo(...which: Parameters<typeof startedBy>) {
    return (await startedBy(...which)).length;
  }

  async function startedBy(
    subject: Subject,
    type: 'conversation.opened' | 'message.inbound' | 'conversation.assigned',
    time: string,
    storedAt = time,
  ) {
    const data = { 'message.inbound': text('Hi'), 'conversation.assigned': { to: 'agent' }, 'conversation.opened': {} }[
      type
    ];
    const stored = accepted(await opened.desk.intake.store(fact(subject, { type, time, data })));
    const { started, deps } = withRules();
    await deliver(deps, { ...stored.event, storedAt, ...stored });
    return started;
  }

  /** Rules for new conversations and for messages, and what they start. */
  function withRules() {
    const { started, client } = recordingClient();
    // An agent that nobody else's slot is guessed from: only the rule can start it.
    const agents = { ...createRegistry([leadQualification]), list: () => [] };
    const rule = { agent: 'lead-qualification', config: {} };
    const autoAttach = () => [
      { ...rule, on: 'conversation.opened' },
      { ...rule, on: 'message.inbound' },
    ];
    return { started, deps: intakeDeps(opened.desk, { client, agents, autoAttach }) };
  }

  async function ended(subject: Subject, end: Pick<RunRecord, 'status' | 'reason'>, endedAt = at('11:00:00')) {
    const run = aRun(subject, { attachedAt: at('10:00:00') });
    await opened.desk.runs.insertIfAbsent(run);
    const over = { phase: null, endedAt, nextRunAt: null, nextRunWhy: null };
    await opened.desk.runs.recordEnd({ run: { ...run, ...end, ...over }, unhandled: [] });
  }

  it('starts one where nobody is attached', async () => {
    assert.equal(await deliverTo(aConversation().subject, 'message.inbound', at('12:00:00')), 1);
  });

  it('leaves alone what a human holds', async () => {
    const { id, subject } = aConversation();
    await opened.desk.conversations.setOwner({ tenant: ACME, id, owner: 'human', by: 'ana', at: at('09:00:00') });
    assert.equal(await deliverTo(subject, 'message.inbound', at('12:00:00')), 0);
  });

  it('that waits for new conversations takes one up that people had from the start, once it is given to an agent', async () => {
    const { id, subject } = aConversation();
    await opened.desk.conversations.setOwner({ tenant: ACME, id, owner: 'human', by: 'ana', at: at('09:00:00') });
    assert.equal(await deliverTo(subject, 'conversation.opened', at('09:00:00')), 0);
    assert.equal(await deliverTo(subject, 'conversation.assigned', at('10:00:00')), 1);
    // Whoever was there before comes back by hand-back, or not at all.
    await ended(subject, { status: 'COMPLETED', reason: 'goal_reached' });
    assert.equal(await deliverTo(subject, 'conversation.assigned', at('12:00:00')), 0);
  });

  for (const end of [
    { status: 'REMOVED_BY_USER', reason: 'detached' },
    { status: 'REMOVED_BY_SYSTEM', reason: 'invalid_config' },
  ] as const) {
    it(`does not bring back a run that is ${end.reason}, until the conversation is opened anew`, async () => {
      const { subject } = aConversation();
      await deliverTo(subject, 'conversation.opened', at('09:00:00'));
      await ended(subject, end);
      assert.equal(await deliverTo(subject, 'conversation.opened', at('10:30:00')), 0);
      assert.equal(await deliverTo(subject, 'message.inbound', at('12:00:00')), 0);
      assert.equal(await deliverTo(subject, 'conversation.opened', at('13:00:00')), 1);
    });
  }

  it('starts another when the run before had reached its goal', async () => {
    const { subject } = aConversation();
    await ended(subject, { status: 'COMPLETED', reason: 'goal_reached' });
    assert.equal(await deliverTo(subject, 'message.inbound', at('12:00:00')), 1);
  });

  it('starts no other by an event that the run before had consumed, however often that is delivered', async () => {
    const { runs, intake } = opened.desk;
    for (const [left, expected] of [
      [false, 0],
      [true, 1],
    ] as const) {
      const { subject } = aConversation();
      const data = text('Hi');
      const stored = accepted(
        await intake.store(fact(subject, { type: 'message.inbound', time: at('10:00:00'), data })),
      );
      const run = aRun(subject, { attachedAt: at('10:00:00') });
      await runs.insertIfAbsent(run);
      const [events, startedAt] = [[stored.event.key], at('10:00:01')];
      const told = { attachment: run.id, tick: 1, attempt: 1, why: 'event', events } as const;
      const outcome = { kind: 'finish', status: 'COMPLETED', reason: 'goal_reached' } as const;
      const tick = { ...told, dueAt: startedAt, startedAt, endedAt: startedAt, outcome };
      await runs.recordTick({ tick: tick as never, run: { failures: 0 } });
      const over = { phase: null, endedAt: at('10:00:02'), nextRunAt: null, nextRunWhy: null };
      const end = { ...run, ...over, status: 'COMPLETED', reason: 'goal_reached' } as const;
      await runs.recordEnd({ run: end, unhandled: left ? events : [] });
      const { started, deps } = withRules();
      await deliver(deps, { ...stored.event, ...stored });
      assert.equal(started.length, expected, left ? 'left to others by its end' : 'consumed');
    }
  });

  it('is not brought back by an event of before its removal, whatever the provider’s clock says', async () => {
    const { subject } = aConversation();
    await ended(subject, { status: 'REMOVED_BY_SYSTEM', reason: 'invalid_config' });
    assert.equal(await deliverTo(subject, 'conversation.opened', at('13:00:00'), at('10:30:00')), 0);
  });

  it('counts as attached since the event, so that a human who came in between has the conversation', async () => {
    const time = '2026-01-01T10:00:00.000Z';
    const [run] = await startedBy(aConversation().subject, 'conversation.opened', time);
    assert.equal(run?.attach.attachedAt, time);
  });

  it('counts as attached neither before the end of the run before it, nor in the future', async () => {
    const { subject } = aConversation();
    await ended(subject, { status: 'COMPLETED', reason: 'goal_reached' }, '2026-01-01T12:00:00.000Z');
    const [run] = await startedBy(subject, 'conversation.opened', '2026-01-01T10:00:00.000Z');
    assert.equal(run?.attach.attachedAt, '2026-01-01T12:00:00.000Z');
    const [early] = await startedBy(aConversation().subject, 'conversation.opened', '2999-01-01T10:00:00.000Z');
    assert.ok((early?.attach.attachedAt ?? '9') <= new Date().toISOString());
  });

  it('does not take up a closed conversation for snapshots of before that come late (B12)', async () => {
    const account = ChatwootConfig.parse({
      ...{ kind: 'chatwoot', url: 'http://chatwoot.invalid', accountId: 1, apiToken: 't', webhookSecret: 's' },
      conversationPrefix: 'late',
    });
    const { started, deps } = withRules();
    const tell = async (body: object) => {
      const { items } = parseChatwootWebhook({
        ...{ tenant: ACME, account, body: Buffer.from(JSON.stringify(body)), now: Date.now() },
      });
      assert.equal(items.length, 1, JSON.stringify(body));
      for (const item of items) {
        const stored = accepted(await opened.desk.intake.store(item));
        await deliver(deps, { ...stored.event, ...stored });
      }
    };
    const changed = (status: string, previous: string, updatedAt: string) => ({
      ...{ id: 42, status, created_at: at('08:00:00'), updated_at: updatedAt, account: { id: 1 } },
      changed_attributes: [{ status: { previous_value: previous, current_value: status } }],
    });
    await tell({ event: 'conversation_status_changed', ...changed('resolved', 'pending', at('10:00:00')) });
    const conversation = { id: 42, status: 'pending' };
    const written = { id: 91, content: 'Hi', message_type: 'incoming', created_at: at('09:59:00'), sender: { id: 7 } };
    await tell({ event: 'message_created', ...written, conversation, account: { id: 1 } });
    await tell({ event: 'conversation_updated', ...changed('pending', 'resolved', at('09:58:00')) });
    assert.deepEqual(started, []);
    const kept = await opened.desk.conversations.get(ACME, parseConversationId('late-42'));
    assert.equal(kept?.closedAt, at('10:00:00'));
  });

  it('sweeps no history: 50 old conversations, closed and unanswered, start nobody when it is switched on (B12)', async () => {
    const { desk } = opened;
    for (let n = 0; n < 50; n += 1) {
      const { id } = aConversation();
      await desk.conversations.ensure({ tenant: ACME, id, channel: 'simulated', contact: { address: `old-${n}` } });
      await desk.conversations.close({ tenant: ACME, id, at: at('10:00:00') });
    }
    const { started, deps } = withRules();
    for (const type of ['message.inbound', 'message.outbound', 'conversation.closed'] as const) {
      const { subject } = aConversation();
      const data = type === 'conversation.closed' ? {} : text('Hi');
      const stored = accepted(await desk.intake.store(fact(subject, { type, time: at('09:00:00'), data })));
      await deliver({ ...deps, autoAttach: () => [] }, { ...stored.event, ...stored });
    }
    const redeliver = async (event: DeliverableEvent) => deliver(deps, event);
    for (const event of await desk.events.undelivered({ olderThanMs: 0, limit: 1_000 })) await redeliver(event);
    const attach = () => Promise.reject(new Error('nobody is attached'));
    const automatic = [{ tenant: ACME, agent: LEAD, after: '1m' }];
    const handBacks = createHandBacks({ desk, attach, automatic, log: deps.log });
    await createReconciler(deps, { redeliver }, handBacks).round();
    assert.deepEqual(started, []);
  });
});
