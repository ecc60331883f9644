/** What Temporal itself knows of a run, without a worker: enough to say that it lives, when it is due, or how it ended. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { parseAgentKey, parseRunWorkflowId, type AttachmentId } from '../domain/ids.ts';
import type { RunSummary } from '../domain/schemas/runs.ts';
import { RUN_STATUSES, type EndReason, type RunStatus } from '../domain/statuses.ts';
import { ATTACHE_AGENT, ATTACHE_NEXT_RUN_AT, ATTACHE_STATUS } from '../temporal/search-attributes.ts';

export interface RunDescription {
  readonly live: boolean;
  readonly attachment: AttachmentId;
  /** `ticks` and `failures` are 0 and `phase` a guess: only the run knows them. */
  readonly run: RunSummary;
}

/** The parts of a description that lists have too. `firstRunId` names the chain. */
export type Described = Pick<
  WorkflowExecutionInfo,
  'workflowId' | 'runId' | 'status' | 'startTime' | 'closeTime' | 'typedSearchAttributes'
> & {
  readonly firstRunId: string | null | undefined;
};

/** @throws {InvalidIdError} when the workflow is not a run of ours. */
export function runFromDescription(described: Described): RunDescription {
  const ref = parseRunWorkflowId(described.workflowId);
  const live =
    described.status.name === 'RUNNING' ||
    described.status.name === 'PAUSED' ||
    described.status.name === 'CONTINUED_AS_NEW';
  const attributes = described.typedSearchAttributes;
  const end = live
    ? { status: 'IN_PROGRESS' as const, reason: null }
    : endOf(described.status.name, attributes.get(ATTACHE_STATUS));
  const attachment = (described.firstRunId || described.runId) as AttachmentId;
  const run: RunSummary = {
    ...ref,
    id: attachment,
    agent: parseAgentKey(attributes.get(ATTACHE_AGENT) ?? ref.slot),
    agentVersion: null,
    ...end,
    phase: live ? 'asleep' : null,
    actor: end.reason === null ? null : 'temporal',
    comment: null,
    attachedAt: described.startTime.toISOString(),
    endedAt: live ? null : (described.closeTime?.toISOString() ?? null),
    nextRunAt: live ? (attributes.get(ATTACHE_NEXT_RUN_AT)?.toISOString() ?? null) : null,
    nextRunWhy: null,
    ticks: 0,
    failures: 0,
    workflowId: described.workflowId,
  };
  return { live, attachment, run };
}

/** A run that wrote no end of its own was ended outside our code: cancelled is a detach by Temporal, anything else is lost. */
function endOf(temporal: string, attribute: string | undefined): { status: RunStatus; reason: EndReason | null } {
  const status = RUN_STATUSES.find((known) => known === attribute);
  if (status !== undefined && status !== 'IN_PROGRESS') return { status, reason: null };
  return temporal === 'CANCELLED'
    ? { status: 'REMOVED_BY_USER', reason: 'detached' }
    : { status: 'REMOVED_BY_SYSTEM', reason: 'lost' };
}
