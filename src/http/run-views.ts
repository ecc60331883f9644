/** A run in the shapes of the API. */
import type { RunRecord } from '../desk/desk.ts';
import type { Run, RunSummary } from '../domain/schemas/runs.ts';

/** One line of a list: what a run shows that has no config, state or policy in it. */
export function summaryOf(run: RunSummary): RunSummary {
  const { id, tenant, subject, slot, agent, agentVersion, status, reason, phase, actor, comment } = run;
  const { attachedAt, endedAt, nextRunAt, nextRunWhy, ticks, failures, workflowId } = run;
  return {
    ...{ id, tenant, subject, slot, agent, agentVersion, status, reason, phase, actor, comment },
    ...{ attachedAt, endedAt, nextRunAt, nextRunWhy, ticks, failures, workflowId },
  };
}

/** As the desk has it: what only the run itself knows is shown empty. */
export function runFromDesk(record: RunRecord): Run {
  const { config, state, policy } = record;
  return { ...summaryOf(record), config, state, policy, pendingEffects: [], pausedUntil: null, queued: 0 };
}

/** As Temporal describes it. */
export function runFromSummary(summary: RunSummary): Run {
  return {
    ...summaryOf(summary),
    config: {},
    state: {},
    policy: null,
    pendingEffects: [],
    pausedUntil: null,
    queued: 0,
  };
}

/** A new run's first row. */
export function recordFromSummary(summary: RunSummary, config: RunRecord['config']): RunRecord {
  return { ...summaryOf(summary), config, state: {}, policy: null };
}
