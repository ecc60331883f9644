import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { z } from 'zod';
import type { ActivityDeps } from '../../src/activities/deps.ts';
import { tick } from '../../src/activities/tick.ts';
import { defineAgent, type Agent } from '../../src/agents/define-agent.ts';
import { reschedule } from '../../src/agents/outcomes.ts';
import type { Desk } from '../../src/desk/desk.ts';
import { BUSINESS, runWorkflowId, type AttachmentId } from '../../src/domain/ids.ts';
import { resolvePolicy } from '../../src/domain/schemas/policy.ts';
import type { TickInput } from '../../src/workflows/activity-types.ts';
import { ACME, ANSWERING, LEAD } from '../support/facts.ts';

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

const nothing = () => undefined;

/** A desk with nothing in it, and an agent. */
function parts(agent: Agent) {
  const lags: number[] = [];
  const desk = {
    conversations: { sightOfRun: () => Promise.resolve({ conversation: null, off: null }) },
    runs: { recordTick: () => Promise.resolve() },
  } as unknown as Desk;
  const deps: ActivityDeps = {
    desk,
    agents: { get: () => agent },
    channels: { get: nothing },
    tenant: (id) => ({ id, name: id, timeZone: 'UTC', policies: {} }),
    holidays: { between: async () => [] },
    occurred: async () => undefined,
    askPermit: () => Promise.reject(new Error('a tick sends nothing')),
    log: { info: nothing, warn: nothing, error: nothing },
    metrics: {
      tickLag: ({ seconds }) => lags.push(seconds),
      tickDone: nothing,
      effectDone: nothing,
      runEnded: nothing,
    },
    clock: Date.now,
  };
  return { deps, lags };
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
    for (const newer of [{ state: demanding }, { config: demanding }]) {
      const { deps } = parts({ ...sleeper, version: 2, ...newer });
      await assert.rejects(
        new MockActivityEnvironment().run(() => tick(deps, dueIn(0, 'due'))),
        (error) => {
          assert.ok(error instanceof ApplicationFailure);
          assert.deepEqual({ type: error.type, nonRetryable: error.nonRetryable ?? false }, isRetried);
          return true;
        },
      );
    }
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
});
