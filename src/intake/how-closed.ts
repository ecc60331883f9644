/** How a workflow ended that the desk believes live. */
import { WorkflowNotFoundError } from '@temporalio/client';
import { within } from '../client/rpc.ts';
import type { IntakeDeps } from './deps.ts';

/** Asked in the background, where nobody waits. */
const DESCRIBE_DEADLINE_MS = 5_000;

export interface Closed {
  /** Temporal's status in lower case (`completed`, `terminated`…), or why there is none. */
  readonly how: string;
  /** Of the execution that closed: the first one of its chain may be past Temporal's retention. */
  readonly runId?: string;
}

/** Null: it lives. @param id the first execution's run id: after its end another one may have taken its place. */
export async function howClosed(
  { client }: Pick<IntakeDeps, 'client'>,
  { id, workflowId }: { readonly id: string; readonly workflowId: string },
): Promise<Closed | null> {
  try {
    const described = await within(client, DESCRIBE_DEADLINE_MS, async () =>
      client.workflow.getHandle(workflowId).describe(),
    );
    const { runId, status, raw } = described;
    if (raw.workflowExecutionInfo?.firstRunId !== id) return { how: 'another one has its place' };
    return status.name === 'RUNNING' ? null : { how: status.name.toLowerCase(), runId };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { how: 'unknown to Temporal' };
    throw error;
  }
}
