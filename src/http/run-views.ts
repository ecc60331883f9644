/** A run in the shapes of the API. */
import type { ListedRun as ListedRecord, RunRecord } from '../desk/desk.ts';
import { lateAfter } from '../desk/ports/runs.ts';
import type { Run, RunSummary } from '../domain/schemas/runs.ts';
import type { ListedRun } from './answers/runs.ts';

/** A line of a list, as the console shows it. */
export function listed(run: ListedRecord): ListedRun {
  const { contact, costUsd } = run;
  return { ...summaryOf(run), contact, costUsd, trouble: troubleOf(run), heldUp: run.heldUp ?? null };
}

function troubleOf({ status, failures, phase, nextRunAt, heldUp }: ListedRecord): 'failing' | 'overdue' | null {
  if (status !== 'IN_PROGRESS') return null;
  if (failures > 0) return 'failing';
  if (phase === 'paused' || phase === 'ending' || nextRunAt === null) return null;
  return heldUp !== undefined || Date.parse(nextRunAt) < Date.now() - lateAfter(phase) ? 'overdue' : null;
}

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

/** A new run's first row, with what it was asked to follow. */
export function recordFromSummary(summary: RunSummary, asked: Pick<RunRecord, 'config' | 'topics'>): RunRecord {
  return { ...summaryOf(summary), ...asked, state: {}, policy: null };
}
