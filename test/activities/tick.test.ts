import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { z } from 'zod';
import { tick } from '../../src/activities/tick.ts';
import { defineAgent, type Agent } from '../../src/agents/define-agent.ts';
import { reschedule } from '../../src/agents/outcomes.ts';
import { ErpError } from '../../src/erp/erp-error.ts';
import type { Erp, ErpReads } from '../../src/erp/erp.ts';
import type { Desk } from '../../src/desk/desk.ts';
import { BUSINESS, runWorkflowId, type AttachmentId } from '../../src/domain/ids.ts';
import { resolvePolicy } from '../../src/domain/schemas/policy.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import type { TickInput, TickResult } from '../../src/workflows/activity-types.ts';
import { PROVIDER_OUTAGE, TICK_FAULT } from '../../src/workflows/activity-types.ts';
import { activityDeps, SILENT } from '../support/given.ts';
import { ACME, ANSWERING, LEAD } from '../support/facts.ts';
import { erpOf } from '../support/watched.ts';

const sleeper = defineAgent({
  key: LEAD,
  version: 1,
  title: 'Sleeps',
  answers: false,
  attachesTo: 'business',
  config: z.strictObject({}),
  state: z.strictObject({}),
  initialState: () => ({}),
  wakeOn: [],
  tick: ({ state }) => Promise.resolve(reschedule({ in: '1h', state })),
});

/** A desk with nothing in it, and an agent. */
function parts(agent: Agent, erp?: Erp) {
  const lags: number[] = [];
  const warned: string[] = [];
  const held: string[] = [];
  const desk = {
    conversations: { sightOfRun: () => Promise.resolve({ conversation: null, off: null }) },
    runs: {
      recordTick: () => Promise.resolve(),
      recordHeldUp: ({ why }: { why: string }) => Promise.resolve(void held.push(why)),
    },
  } as unknown as Desk;
  const deps = activityDeps(desk, {
    agents: { get: () => agent },
    erps: { of: () => erp },
    askPermit: () => Promise.reject(new Error('a tick sends nothing')),
    log: { ...SILENT, warn: (_, message) => warned.push(message) },
    metrics: { ...createMetrics(), tickLag: ({ seconds }) => lags.push(seconds) },
  });
  return { deps, lags, warned, held };
}

function dueIn(ms: number, why: TickInput['why']): TickInput {
  return {
    run: {
      ...{ tenant: ACME, subject: BUSINESS, slot: ANSWERING, agent: LEAD, attachedAt: new Date().toISOString() },
      workflowId: runWorkflowId({ tenant: ACME, subject: BUSINESS, slot: ANSWERING }),
      attachment: randomUUID() as AttachmentId,
    },
    agent: { version: 1, model: false, wakeOn: [], policy: resolvePolicy(), config: {} },
    ...{ state: {}, tick: 1, why, failures: 0 },
    dueAt: new Date(Date.now() + ms).toISOString(),
    ...{ events: [], pendingEffects: [], failedEffects: [], cancelled: [] },
  };
}

describe('a newer version of an agent', () => {
  const isRetried = { type: 'UnknownAgent', nonRetryable: false };

  it('that cannot read an older state or configuration waits for one that can, and fails no run', async () => {
    const demanding = z.strictObject({ needed: z.string() });
    for (const [newer, remedy] of [
      [{ state: demanding }, /a state of version 1: deploy one that can, by a `migrate` in the agent$/],
      [{ config: demanding }, /the configuration of version 1: deploy one that can, by an optional field or a default/],
    ] as const) {
      const { deps, held } = parts({ ...sleeper, version: 2, ...newer });
      await assert.rejects(
        new MockActivityEnvironment().run(() => tick(deps, dueIn(0, 'due'))),
        (error) => {
          assert.ok(error instanceof ApplicationFailure);
          assert.deepEqual({ type: error.type, nonRetryable: error.nonRetryable ?? false }, isRetried);
          return true;
        },
      );
      assert.match(held[0] ?? '', remedy);
    }
  });
});

describe('a tick that takes a while', () => {
  it('says so in the desk meanwhile, and needs no answer to go on', async () => {
    const told = new EventEmitter();
    const { deps } = parts({
      ...sleeper,
      async tick({ state }) {
        const [change] = (await once(told, 'thinking')) as unknown[];
        assert.deepEqual(change, { attachment: input.run.attachment, tick: 1 });
        return reschedule({ in: '1h', state });
      },
    });
    const input = dueIn(0, 'due');
    deps.desk.runs.recordThinking = async (change) => {
      told.emit('thinking', change);
      return Promise.reject(new Error('the desk is away'));
    };
    const done: TickResult = await new MockActivityEnvironment().run(() => tick(deps, input));
    assert.equal(done.result, 'outcome');
  });
});

describe('the lag of a tick', () => {
  it('is that of one that fell due, not of one that an event or an operator woke before', async () => {
    const { deps, lags } = parts(sleeper);
    for (const input of [dueIn(3_600_000, 'event'), dueIn(3_600_000, 'operator'), dueIn(-60_000, 'due')])
      await new MockActivityEnvironment().run(() => tick(deps, input));
    assert.deepEqual(
      lags.map((seconds) => Math.floor(seconds / 60)),
      [1],
    );
  });

  it('is logged when it is more than the policy’s lagAlert', async () => {
    const { deps, warned } = parts(sleeper);
    for (const input of [dueIn(-30_000, 'due'), dueIn(-90_000, 'due')])
      await new MockActivityEnvironment().run(() => tick(deps, input));
    assert.deepEqual(warned, ['a tick began late']);
  });
});

describe('the ERP in a tick', () => {
  const looking = (look: (erp: ErpReads) => Promise<unknown>): Agent => ({
    ...sleeper,
    erp: true,
    async tick({ erp, state }) {
      await look(erp ?? assert.fail('no ERP'));
      return reschedule({ in: '1h', state });
    },
  });
  const failureOf = async (agent: Agent, erp: Erp, input = dueIn(0, 'due')): Promise<ApplicationFailure> => {
    const ticking = new MockActivityEnvironment().run(() => tick(parts(agent, erp).deps, input));
    return ticking.then(
      () => assert.fail('it did not fail'),
      (error: unknown) => (error instanceof ApplicationFailure ? error : assert.fail(String(error))),
    );
  };

  it('can be looked at, and nothing else', async () => {
    let seen: ErpReads | undefined;
    const { deps } = parts(
      looking(async (erp) => void (seen = erp)),
      erpOf([]),
    );
    await new MockActivityEnvironment().run(() => tick(deps, dueIn(0, 'due')));
    assert.deepEqual(Object.keys(seen ?? {}).sort(), ['demand', 'get', 'list']);
  });

  it('that does not answer is an outage, retried and not counted', async () => {
    const failing = {
      ...erpOf([]),
      get: () => Promise.reject(new ErpError({ failure: 'outage', code: 'x', message: 'away' })),
    };
    const { type, nonRetryable } = await failureOf(
      looking((erp) => erp.get('stock', 'P-1')),
      failing,
    );
    assert.deepEqual([type, nonRetryable ?? false], [PROVIDER_OUTAGE, false]);
  });

  it('is let go of when the tick is out of time, though the agent passes no signal on', async () => {
    let given: AbortSignal | undefined;
    const hanging: Erp = {
      ...erpOf([]),
      get: (_kind, _id, options) => {
        given = options?.signal;
        return new Promise(() => undefined);
      },
    };
    const input = dueIn(0, 'due');
    const short = { ...input, agent: { ...input.agent, policy: resolvePolicy({ tickTimeout: '50ms' }) } };
    const { type } = await failureOf(
      looking((erp) => erp.get('stock', 'P-1')),
      hanging,
      short,
    );
    assert.deepEqual([type, given?.aborted], [TICK_FAULT, true]);
  });
});
