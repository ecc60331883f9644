/** What activities and the intake are handed at their doors, where nobody is there: a test adds whom it is about. */
import type { Client } from '@temporalio/client';
import type { ActivityDeps } from '../../src/activities/deps.ts';
import { createRegistry } from '../../src/agents/registry.ts';
import type { Desk } from '../../src/desk/desk.ts';
import type { IntakeDeps } from '../../src/intake/deps.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';

/** A log that nobody reads. */
export const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** One tenant in UTC, no agent, no channel, no ERP, no holidays; every permit is given, by the wall clock. */
export function activityDeps(desk: Desk, over: Partial<ActivityDeps> = {}): ActivityDeps {
  return {
    desk,
    agents: { get: () => undefined },
    channels: { get: () => undefined },
    tenant: (id) => ({ id, name: 'Acme', timeZone: 'UTC', policies: {} }),
    holidays: { between: async () => [] },
    erps: { of: () => undefined },
    occurred: async () => undefined,
    askPermit: async () => ({ permitted: true }),
    log: SILENT,
    metrics: createMetrics(),
    clock: Date.now,
    ...over,
  };
}

/** No agent and no rule. */
export function intakeDeps(desk: Desk, over: Partial<IntakeDeps> = {}): IntakeDeps {
  return {
    ...{ desk, client: NO_TEMPORAL, agents: createRegistry([]), autoAttach: () => [] },
    ...{ metrics: createMetrics(), log: SILENT, ...over },
  };
}

/** A Temporal whose workflows answer as these do. */
export function temporalOf(workflow: {
  getHandle: (workflowId: string, runId?: string) => object;
  signalWithStart?: (...sent: never[]) => Promise<unknown>;
}): Client {
  return {
    withDeadline: async (_: number, call: () => Promise<unknown>) => call(),
    workflow,
  } as unknown as Client;
}

/** What cannot be delivered is counted and left to the reconciler, which is the intake's own affair. */
export const NO_TEMPORAL = temporalOf({
  getHandle: () => {
    throw new Error('no Temporal here');
  },
});
