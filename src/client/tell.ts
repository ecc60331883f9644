/** Telling a workflow what happened: a signal with an end to it, and an answer where nobody is there. */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { SignalDefinition } from '@temporalio/common';
import { DEADLINES, within } from './rpc.ts';

/** False: nothing runs under that id (any more). @throws when Temporal does not answer in time. */
export async function tell<Fact>(
  client: Client,
  workflowId: string,
  signal: SignalDefinition<[Fact]>,
  fact: Fact,
): Promise<boolean> {
  try {
    await within(client, DEADLINES.signal, () => client.workflow.getHandle(workflowId).signal(signal, fact));
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
