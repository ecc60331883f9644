/** Deciding on investigations, and answering what they ask, straight over a Temporal client. */
import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
import { ApplicationFailure, type UpdateDefinition } from '@temporalio/common';
import type { Investigation } from '../domain/schemas/investigations.ts';
import {
  answer,
  decide,
  NOT_DECIDED,
  NOTHING_ASKED,
  type Answer,
  type Decide,
  type Refusal,
} from '../workflows/investigation-messages.ts';
import { TemporalUnavailableError } from './errors.ts';
import { DEADLINES, isServiceTrouble, within } from './rpc.ts';

/** What became of a request: taken, refused with its reason, or nobody is there any more to ask (the desk knows how it ended). */
export type Told<Refused> =
  | { readonly result: 'taken'; readonly investigation: Investigation }
  | { readonly result: 'refused'; readonly refusal: Refused }
  | { readonly result: 'over' }
  /** Temporal has it; no worker answered in time. */
  | { readonly result: 'no_worker' };

/** An investigation's workflow, and which of its chains: another one may live under the same name by now. */
export interface InvestigationName {
  readonly workflowId: string;
  readonly id: string;
}

export interface InvestigationClient {
  /** @throws {TemporalUnavailableError} */
  decide(name: InvestigationName, decision: Decide): Promise<Told<Refusal>>;
  /** @throws {TemporalUnavailableError} */
  answer(name: InvestigationName, given: Answer): Promise<Told<string>>;
}

export function createInvestigationClient(client: Client): InvestigationClient {
  async function tell<Request, Refused>(
    { workflowId, id }: InvestigationName,
    update: UpdateDefinition<Investigation, [Request]>,
    request: Request,
    refusalOf: (failure: ApplicationFailure) => Refused | undefined,
  ): Promise<Told<Refused>> {
    try {
      const handle = client.workflow.getHandle(workflowId, undefined, { firstExecutionRunId: id });
      const investigation = await within(client, DEADLINES.update, () =>
        handle.executeUpdate(update, { args: [request] }),
      );
      return { result: 'taken', investigation };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return { result: 'over' };
      if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
        const refusal = refusalOf(error.cause);
        if (refusal !== undefined) return { result: 'refused', refusal };
        if (error.cause.type === 'AcceptedUpdateCompletedWorkflow') return { result: 'over' };
      }
      if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isServiceTrouble(error))
        return (await isThere(client, workflowId)) ? { result: 'no_worker' } : unreachable(error);
      throw error;
    }
  }

  return {
    decide: async (name, decision) =>
      tell(name, decide, decision, ({ type, details }) =>
        type === NOT_DECIDED ? (details?.[0] as Refusal | undefined) : undefined,
      ),
    answer: async (name, given) =>
      tell(name, answer, given, ({ type, message }) => (type === NOTHING_ASKED ? message : undefined)),
  };
}

async function isThere(client: Client, workflowId: string): Promise<boolean> {
  return within(client, DEADLINES.describe, () => client.workflow.getHandle(workflowId).describe()).then(
    () => true,
    () => false,
  );
}

function unreachable(error: unknown): never {
  throw new TemporalUnavailableError(error);
}
