/** Requests that a run can refuse, and that need a worker to answer. */
import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
import { ApplicationFailure, type UpdateDefinition } from '@temporalio/common';
import { InvalidInputError } from '../domain/errors.ts';
import { runWorkflowId, type RunRef } from '../domain/ids.ts';
import type { Run, RunSummary } from '../domain/schemas/runs.ts';
import { INVALID_INSTANT, OTHER_ATTACHMENT, pause, resume, RUN_ENDED, snooze, wakeNow } from '../workflows/messages.ts';
import type { RunDescription } from './descriptions.ts';
import {
  AttachmentMismatchError,
  EndedError,
  NotAttachedError,
  NoWorkerError,
  TemporalUnavailableError,
} from './errors.ts';
import { ahead, asker, given, maybeInstant, meant, parseRun, type ActOptions, type RunName } from './names.ts';
import { DEADLINES, isServiceTrouble, within } from './rpc.ts';

/** Each answers the run as it now is; a run is snoozed to an instant ahead. @throws {InvalidInputError | NotAttachedError | EndedError | AttachmentMismatchError | NoWorkerError | TemporalUnavailableError} */
export interface RunUpdates {
  /** `until`, ISO-8601 UTC: resumes by itself then. */
  pause(run: RunName, options: ActOptions & { readonly until?: string | undefined }): Promise<Run>;
  /** `jitterMs`: what is overdue or queued wakes at a moment within that long, so that many resumed at once do not wake at once. */
  resume(run: RunName, options: ActOptions & { readonly jitterMs?: number | undefined }): Promise<Run>;
  snooze(run: RunName, options: ActOptions & { readonly until: string }): Promise<Run>;
  wakeNow(run: RunName, options: ActOptions): Promise<Run>;
}

/** How updates look at the run they failed on. `latest` asks the run and, failing that, Temporal. */
export interface Looks {
  describe(run: RunRef): Promise<RunDescription | null>;
  latest(run: RunRef): Promise<RunSummary | null>;
}

/** @param told.isRecorded whoever asks writes it down; else the run tells the desk. */
export function runUpdates(client: Client, looks: Looks, { isRecorded }: { readonly isRecorded: boolean }): RunUpdates {
  const asked = (of: ActOptions) => ({ ...asker(of), ...meant(of.attachment), ...(isRecorded ? {} : UNTOLD) });
  async function send<Request>(
    run: RunName,
    update: UpdateDefinition<Run, [Request]>,
    request: Request,
    { attachment, requestId }: Pick<ActOptions, 'attachment' | 'requestId'>,
  ): Promise<Run> {
    const ref = parseRun(run);
    try {
      return await within(client, DEADLINES.update, () =>
        client.workflow.getHandle(runWorkflowId(ref)).executeUpdate(update, {
          args: [request],
          ...(requestId === undefined ? {} : { updateId: requestId }),
        }),
      );
    } catch (error) {
      throw await refusal(error, ref, attachment, looks);
    }
  }
  return {
    pause: async (run, { until, ...of }) =>
      send(run, pause, { ...asked(of), ...given({ until: maybeInstant('until', until) }) }, of),
    resume: async (run, { jitterMs, ...of }) => send(run, resume, { ...asked(of), ...given({ jitterMs }) }, of),
    snooze: async (run, { until, ...of }) => send(run, snooze, { ...asked(of), until: ahead('until', until) }, of),
    wakeNow: async (run, of) => send(run, wakeNow, asked(of), of),
  };
}

const UNTOLD = { untold: true } as const;

async function refusal(error: unknown, ref: RunRef, asked: string | undefined, looks: Looks): Promise<unknown> {
  if (error instanceof WorkflowNotFoundError) return endedOrUnknown(ref, asked, looks);
  if (error instanceof WorkflowUpdateFailedError) {
    const cause = error.cause instanceof ApplicationFailure ? error.cause : undefined;
    const type = cause?.type;
    if (type === INVALID_INSTANT) return new InvalidInputError([{ path: 'until', message: cause?.message ?? '' }]);
    if (type === OTHER_ATTACHMENT) return new AttachmentMismatchError(ref, asked ?? '');
    // The run closed with the update accepted and unanswered: it ended, which is the answer.
    if (type === RUN_ENDED || type === 'AcceptedUpdateCompletedWorkflow') return endedOrUnknown(ref, asked, looks);
    return error;
  }
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isServiceTrouble(error)) {
    // The same time-out has two causes, and they have different remedies: ask Temporal whether it is there.
    const found = await looks.describe(ref).catch((trouble: unknown) => new TemporalUnavailableError(trouble));
    return found instanceof TemporalUnavailableError ? found : new NoWorkerError(ref, error);
  }
  return error;
}

async function endedOrUnknown(ref: RunRef, asked: string | undefined, looks: Looks): Promise<Error> {
  const run = await looks.latest(ref);
  if (run === null) return new NotAttachedError(ref);
  return asked !== undefined && asked !== run.id ? new AttachmentMismatchError(ref, asked) : new EndedError(run);
}
