/**
 * The life of runs, straight over a Temporal client: all a CRM's back end needs to attach an agent, stop it and look at it.
 * Needs only Temporal. Detach and takeover are plain signals, accepted once Temporal has them; the rest asks the run.
 */
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { parseAgentKey, runWorkflowId, type RunRef } from '../domain/ids.ts';
import { ATTACHED } from '../domain/next-run-why.ts';
import type { Run, RunSummary } from '../domain/schemas/runs.ts';
import type { RunStatus } from '../domain/statuses.ts';
import { startAttributes, startSummary } from '../temporal/search-attributes.ts';
import { TASK_QUEUE } from '../temporal/task-queues.ts';
import type { AgentRunInput } from '../workflows/agent-run-input.ts';
import { AGENT_RUN, detached, humanTookOver, view, type HandedBack } from '../workflows/messages.ts';
import { runFromDescription, type RunDescription } from './descriptions.ts';
import { AttachmentMismatchError, NotAttachedError, NoWorkerError } from './errors.ts';
import { asker, configuration, given, maybeInstant, meant, parseRun, type ActOptions, type RunName } from './names.ts';
import { DEADLINES, isServiceTrouble, reach, within } from './rpc.ts';
import { runUpdates, type RunUpdates } from './updates.ts';
import { countRuns, listRuns, type RunListFilter } from './visibility.ts';

export interface AttachOptions extends RunName {
  readonly agent: string;
  /** Checked by the run: one that does not fit ends it `invalid_config`. */
  readonly config?: unknown;
  /** What it follows besides its agent's own topics: names such as `price-list`. */
  readonly topics?: readonly string[] | undefined;
  /** ISO-8601 UTC; default at once. */
  readonly firstRunAt?: string | undefined;
  /** Who asks: shown to people. */
  readonly actor: string;
  readonly comment?: string | undefined;
  /** `rule` for auto-attach, which never takes a conversation from a human. Default `attach`. */
  readonly origin?: 'attach' | 'rule';
  /** The instant as of which it holds, ISO-8601 UTC; default now, never later. */
  readonly attachedAt?: string | undefined;
  /** A human gave the conversation back. */
  readonly handedBack?: HandedBack | undefined;
}

/** `attached: false` is a normal answer, with the run that holds the slot: the id is the guarantee that no two do. */
export interface Attached {
  readonly attached: boolean;
  readonly run: RunSummary;
}

/** `accepted: false`: it had ended before, and this is how. */
export type Signalled = { readonly accepted: true } | { readonly accepted: false; readonly run: RunSummary };

export interface RunClient extends RunUpdates {
  /** @throws {InvalidIdError | InvalidInputError} naming the field; an agent that no worker knows waits for one that does. @throws {TemporalUnavailableError} */
  attach(options: AttachOptions): Promise<Attached>;
  /** @throws {InvalidInputError} @throws {NotAttachedError} @throws {AttachmentMismatchError} @throws {TemporalUnavailableError} */
  detach(
    run: RunName,
    options: ActOptions & {
      readonly at?: string | undefined;
      readonly reason?: 'detached' | 'switched_off' | undefined;
    },
  ): Promise<Signalled>;
  /** @throws {InvalidInputError} @throws {NotAttachedError} @throws {AttachmentMismatchError} @throws {TemporalUnavailableError} */
  takeOver(run: RunName, options: ActOptions & { readonly at?: string | undefined }): Promise<Signalled>;
  /** Asks the run itself, ended ones too. @param timeoutMs default 1 s. @throws {InvalidIdError} @throws {NotAttachedError} @throws {NoWorkerError} */
  view(run: RunName, timeoutMs?: number): Promise<Run>;
  /** What Temporal knows of the latest attachment, no worker needed; null when it knows none. @throws {InvalidIdError} @throws {TemporalUnavailableError} */
  describe(run: RunName): Promise<RunDescription | null>;
  /** True once the workflow has closed, or Temporal knows of none; false when it has not within `timeoutMs`, or Temporal is away. @throws {InvalidIdError} */
  waitForEnd(run: RunName, timeoutMs: number): Promise<boolean>;
  /** @throws {InvalidIdError | InvalidInputError} naming the field @throws {TemporalUnavailableError} */
  list(filter: RunListFilter): Promise<RunSummary[]>;
  /** What is due at or before `dueBefore` (default now). @throws as {@link RunClient.list} */
  due(filter: Omit<RunListFilter, 'status'>): Promise<RunSummary[]>;
  /** By visibility, as lists are: a moment late. @throws {InvalidIdError} @throws {TemporalUnavailableError} */
  countByStatus(tenant: string): Promise<Record<RunStatus, number>>;
}

/** @param told.isRecorded what is asked of runs is written down by the caller, as this product's own server does. */
export function createRunClient(
  client: Client,
  { isRecorded = false }: { readonly isRecorded?: boolean } = {},
): RunClient {
  const handle = (ref: RunRef) => client.workflow.getHandle(runWorkflowId(ref));

  async function describe(run: RunName): Promise<RunDescription | null> {
    const ref = parseRun(run);
    try {
      const described = await reach(client, DEADLINES.describe, () => handle(ref).describe());
      return runFromDescription({ ...described, firstRunId: described.raw.workflowExecutionInfo?.firstRunId });
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    }
  }

  async function signalled(ref: RunRef, attachment: string | undefined, send: () => Promise<void>): Promise<Signalled> {
    if (attachment !== undefined) {
      const found = await describe(ref);
      if (found !== null && found.attachment !== attachment) throw new AttachmentMismatchError(ref, attachment);
    }
    try {
      await reach(client, DEADLINES.signal, send);
      return { accepted: true };
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      const ended = await latest(ref);
      if (ended === null) throw new NotAttachedError(ref);
      return { accepted: false, run: ended };
    }
  }

  async function ask(ref: RunRef, timeoutMs: number): Promise<Run> {
    try {
      return await within(client, timeoutMs, () => handle(ref).query(view));
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw new NotAttachedError(ref);
      throw new NoWorkerError(ref, error);
    }
  }

  const latest = async (ref: RunRef): Promise<RunSummary | null> =>
    ask(ref, DEADLINES.query).catch(async () => (await describe(ref))?.run ?? null);

  return {
    ...runUpdates(client, { describe, latest }, { isRecorded }),
    describe,
    attach: (options) => attach(client, options, latest),
    async detach(run, { attachment, at, reason, ...by }) {
      const ref = parseRun(run);
      const message = {
        at: maybeInstant('at', at) ?? new Date().toISOString(),
        ...asker(by),
        ...given({ reason }),
        ...meant(attachment),
      };
      return signalled(ref, attachment, () => handle(ref).signal(detached, message));
    },
    async takeOver(run, { attachment, at, ...by }) {
      const ref = parseRun(run);
      const message = {
        cause: 'taken_over' as const,
        explicit: true as const,
        at: maybeInstant('at', at) ?? new Date().toISOString(),
        ...asker(by),
        ...meant(attachment),
      };
      return signalled(ref, attachment, () => handle(ref).signal(humanTookOver, message));
    },
    view: async (run, timeoutMs = DEADLINES.query) => ask(parseRun(run), timeoutMs),
    async waitForEnd(run, timeoutMs) {
      const ref = parseRun(run);
      try {
        await within(client, timeoutMs, () => handle(ref).result());
        return true;
      } catch (error) {
        return !isServiceTrouble(error);
      }
    },
    list: async (filter) => listRuns(client, filter),
    due: async (filter) => listRuns(client, { ...filter, dueBefore: filter.dueBefore ?? new Date().toISOString() }),
    countByStatus: async (tenant) => countRuns(client, tenant),
  };
}

async function attach(
  client: Client,
  options: AttachOptions,
  latest: (ref: RunRef) => Promise<RunSummary | null>,
): Promise<Attached> {
  const ref = parseRun(options);
  const agent = parseAgentKey(options.agent);
  const attachedAt = maybeInstant('attachedAt', options.attachedAt) ?? new Date().toISOString();
  const firstRunAt = maybeInstant('firstRunAt', options.firstRunAt);
  const config = configuration(options.config);
  const { handedBack, topics, origin = 'attach' } = options;
  const by = asker(options);
  const nextRunAt = firstRunAt ?? attachedAt;
  const input: AgentRunInput = {
    v: 1,
    ...ref,
    attach: { agent, config, attachedAt, origin, ...by, ...given({ topics, firstRunAt, handedBack }) },
  };
  const workflowId = runWorkflowId(ref);
  try {
    const started = await reach(client, DEADLINES.start, () =>
      client.workflow.start(AGENT_RUN, {
        workflowId,
        taskQueue: TASK_QUEUE,
        args: [input],
        workflowIdConflictPolicy: 'FAIL',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        typedSearchAttributes: startAttributes({ ...ref, agent, nextRunAt }),
        priority: { fairnessKey: ref.tenant },
        staticSummary: startSummary({ ...ref, agent }),
      }),
    );
    const run: RunSummary = {
      ...ref,
      id: started.firstExecutionRunId,
      agent,
      agentVersion: null,
      status: 'IN_PROGRESS',
      reason: null,
      phase: 'asleep',
      actor: by.actor,
      comment: by.comment ?? null,
      attachedAt,
      endedAt: null,
      nextRunAt,
      nextRunWhy: ATTACHED,
      ticks: 0,
      failures: 0,
      workflowId,
    };
    return { attached: true, run };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const existing = await latest(ref);
    if (existing === null) throw error;
    return { attached: false, run: existing };
  }
}
