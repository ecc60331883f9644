/** Who attached a run, as Temporal has it: the desk shows whoever paused or ended it in that place. */
import { isGrpcServiceError, type Client } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { runWorkflowId, type AttachmentId, type RunRef } from '../domain/ids.ts';
import type { AgentRunInput } from '../workflows/agent-run-input.ts';
import { DEADLINES, reach } from './rpc.ts';

/** gRPC's code: https://grpc.io/docs/guides/status-codes/ */
const NOT_FOUND = 5;

/**
 * The `actor` of its attach, which its input carries through every roll-over; null: Temporal knows no such attachment, or
 * another one has its place. Needs no worker. @throws {TemporalUnavailableError}
 */
export async function attacherOf(client: Client, run: RunRef & { readonly id: AttachmentId }): Promise<string | null> {
  const { namespace, loadedDataConverter } = client.workflow.options;
  const execution = { workflowId: runWorkflowId(run) };
  const started = await reach(client, DEADLINES.describe, async () => {
    const page = await client.workflowService
      .getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 1 })
      .catch((error: unknown) => {
        if (isGrpcServiceError(error) && (error.code as number) === NOT_FOUND) return null;
        throw error;
      });
    return page?.history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  });
  if (started?.firstExecutionRunId !== run.id) return null;
  const [input] = await decodeArrayFromPayloads(loadedDataConverter, started.input?.payloads);
  return (input as AgentRunInput).attach.actor;
}
