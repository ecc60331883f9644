import assert from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import { leadQualification } from '../../src/agents/lead-qualification/lead-qualification.ts';
import { createRegistry } from '../../src/agents/registry.ts';
import type { RunRecord } from '../../src/desk/desk.ts';
import type { Subject } from '../../src/domain/ids.ts';
import { deliver } from '../../src/intake/deliver.ts';
import type { AgentRunInput } from '../../src/workflows/agent-run-input.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { accepted, ACME, aConversation, aRun, at, fact, text } from '../support/facts.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';

/** What Temporal was asked to start; nothing runs there, so nothing is found there. */
function recordingClient() {
  const started: AgentRunInput[] = [];
  const notFound = async () => Promise.reject(Object.assign(new Error('not found'), { code: 5 }));
  const client = {
    withDeadline: async (_: number, call: () => Promise<unknown>) => call(),
    workflow: {
      getHandle: () => ({ signal: async () => Promise.resolve(), describe: notFound }),
      async signalWithStart(_: unknown, { args: [input] }: { args: [AgentRunInput] }) {
        started.push(input);
        return Promise.resolve({ signaledRunId: 'started' });
      },
    },
  };
  return { started, client: client as unknown as Client };
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
    type: 'conversation.opened' | 'message.inbound',
    time: string,
    storedAt = time,
  ) {
    const { started, client } = recordingClient();
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    // An agent that nobody else's slot is guessed from: only the rule can start it.
    const agents = { ...createRegistry([leadQualification]), list: () => [] };
    const rule = { agent: 'lead-qualification', config: {} };
    const autoAttach = () => [
      { ...rule, on: 'conversation.opened' },
      { ...rule, on: 'message.inbound' },
    ];
    const data = type === 'message.inbound' ? text('Hi') : {};
    const stored = accepted(await opened.desk.intake.store(fact(subject, { type, time, data })));
    await deliver(
      { desk: opened.desk, client, agents, autoAttach, log, metrics: createMetrics() },
      { ...stored.event, storedAt, ...stored },
    );
    return started;
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
});
