/** What people do to runs. Every act is idempotent: on a run that has ended it answers how, and overwrites nothing. */
import { randomUUID } from 'node:crypto';
import {
  AttachmentMismatchError,
  EndedError,
  NotAttachedError,
  NoWorkerError,
  TemporalUnavailableError,
  type ActOptions,
  type RunClient,
} from '../client.ts';
import type { ActKind } from '../desk/desk.ts';
import { ms } from '../domain/durations.ts';
import { conversationOf, runName, type AttachmentId, type RunRef } from '../domain/ids.ts';
import { MAX_INTERVAL_MS } from '../domain/outcomes.ts';
import type { Act, HandBackAct, PauseAct, Run, SnoozeAct } from '../domain/schemas/runs.ts';
import type { HttpDeps } from './deps.ts';
import { invalidField, ProblemError } from './problems.ts';
import { runFromDesk, runFromSummary, summaryOf } from './run-views.ts';
import { stillEnding, type RunService, type RunServiceDeps } from './run-service.ts';

/** How long detach and takeover wait for the run to say that it is over, before they answer `pending`. */
const END_WAIT_MS = 5_000;

export interface ActAnswer {
  readonly run: Run;
  /** Accepted for good; the run has not said so yet. */
  readonly pending: boolean;
}

interface Live {
  readonly attachment: string;
  readonly live: boolean;
  readonly run: Run | null;
}

export type RunActsDeps = RunServiceDeps & Pick<HttpDeps, 'intake' | 'handBacks'>;

export class RunActs {
  private readonly deps: RunActsDeps;
  private readonly service: RunService;

  constructor(deps: RunActsDeps, service: RunService) {
    this.deps = deps;
    this.service = service;
  }

  async detach(ref: RunRef, act: Act, actor: string): Promise<ActAnswer> {
    return this.stop(ref, 'detach', act, actor, (client, options) => client.detach(ref, options));
  }

  /** Ends the run that is named; every other run on the conversation hears of it as of any human's coming in. */
  async takeOver(ref: RunRef, act: Act, actor: string): Promise<ActAnswer> {
    return this.stop(ref, 'takeover', act, actor, async (client, options) => {
      try {
        return await client.takeOver(ref, options);
      } finally {
        if (conversationOf(ref.subject) !== undefined) await this.announce(ref, options);
      }
    });
  }

  /** The agent that was attached here comes back, as a new run. @throws {ProblemError} when nobody holds it, or an agent does. */
  async handBack(ref: RunRef, act: HandBackAct, actor: string): Promise<ActAnswer> {
    const note = act.note ?? act.reason ?? null;
    const handed = await this.deps.handBacks.handBack({ ref, by: actor, note, id: act.id });
    const name = runName(ref);
    switch (handed.result) {
      case 'handed_back':
        return { run: runFromDesk(handed.run), pending: false };
      case 'never_attached':
        throw new ProblemError('run_not_found', `no agent was attached as ${name}: attach one instead`);
      case 'another_attachment':
        throw new ProblemError('attachment_mismatch', `${name} was last attached as ${handed.run.id}`);
      case 'closed':
        throw new ProblemError(
          'conversation_closed',
          'a closed conversation is not handed back: attach an agent once it is open',
        );
      case 'not_held':
        throw new ProblemError('not_held', 'no human holds the conversation: attach an agent instead');
      case 'ending':
        throw stillEnding(handed.run);
      case 'live':
        throw new ProblemError(
          'already_attached',
          `${handed.run.agent} is attached as ${name}; resume it if it is paused`,
          {
            members: { run: summaryOf(handed.run) },
          },
        );
    }
  }

  async pause(ref: RunRef, act: PauseAct, actor: string): Promise<ActAnswer> {
    const until = act.until === undefined ? undefined : ahead('until', Date.parse(act.until));
    return this.request(ref, 'pause', act, (client) => client.pause(ref, { ...optionsOf(act, actor), until }), actor);
  }

  async resume(ref: RunRef, act: Act, actor: string): Promise<ActAnswer> {
    return this.request(ref, 'resume', act, (client) => client.resume(ref, optionsOf(act, actor)), actor);
  }

  async snooze(ref: RunRef, act: SnoozeAct, actor: string): Promise<ActAnswer> {
    const until =
      act.until === undefined ? ahead('for', Date.now() + ms(act.for ?? '0s')) : ahead('until', Date.parse(act.until));
    return this.request(ref, 'snooze', act, (client) => client.snooze(ref, { ...optionsOf(act, actor), until }), actor);
  }

  async wake(ref: RunRef, act: Act, actor: string): Promise<ActAnswer> {
    return this.request(ref, 'wake', act, (client) => client.wakeNow(ref, optionsOf(act, actor)), actor);
  }

  /** Accepted once the desk has it: from then on the permit says no, whether or not the run has heard. */
  private async stop(
    ref: RunRef,
    kind: 'detach' | 'takeover',
    act: Act,
    actor: string,
    tell: (client: RunClient, options: ActOptions & { at: string }) => Promise<unknown>,
  ): Promise<ActAnswer> {
    const found = await this.whoIsLive(ref).catch(async (error: unknown) => {
      if (act.id === undefined && error instanceof ProblemError && error.code === 'run_not_found')
        throw (await this.foreclose(ref, kind, { act, actor })) ? stoppedBefore(ref, kind) : error;
      throw error;
    });
    if (act.id !== undefined && act.id !== found.attachment)
      throw new ProblemError('attachment_mismatch', `${runName(ref)} is attached as ${found.attachment} now`);
    // A rule may be about to attach another one, and whoever takes over takes over from that one too.
    if (!found.live && kind === 'takeover' && act.id === undefined) await this.foreclose(ref, kind, { act, actor });
    if (!found.live) return { run: found.run ?? (await this.service.get(ref, found.attachment)), pending: false };
    const at = new Date().toISOString();
    const { attachment } = found;
    await this.deps.desk.acts.record({
      ...ref,
      attachment: attachment as AttachmentId,
      act: kind,
      actor,
      comment: act.reason ?? null,
      at,
    });
    try {
      await tell(this.deps.runs, { actor, comment: act.reason, attachment, at });
    } catch (error) {
      if (error instanceof TemporalUnavailableError)
        return { run: await this.asStored(ref, attachment), pending: true };
      // Ended, and perhaps attached anew, in this very moment: then how it ended is the answer.
      if (!(error instanceof AttachmentMismatchError || error instanceof NotAttachedError)) throw error;
    }
    return this.untilOver(ref, attachment);
  }

  /**
   * Nothing is attached, but a rule may be about to: what was asked is kept, and holds against every run that is attached as
   * of an earlier moment. A takeover makes a human the owner, so that no rule attaches at all; also where the conversation's
   * own first word is still on its way. False: it is about the business, which nobody can hold.
   */
  private async foreclose(
    ref: RunRef,
    kind: 'detach' | 'takeover',
    { act, actor }: { readonly act: Act; readonly actor: string },
  ): Promise<boolean> {
    const { desk } = this.deps;
    const id = conversationOf(ref.subject);
    if (id === undefined) return false;
    const conversation = await desk.conversations.get(ref.tenant, id);
    if (kind === 'takeover' && conversation?.owner === 'human') return true;
    const at = new Date().toISOString();
    await desk.acts.record({ ...ref, attachment: null, act: kind, actor, comment: act.reason ?? null, at });
    return true;
  }

  private async announce(
    { tenant, subject }: RunRef,
    { actor, comment, at }: ActOptions & { at: string },
  ): Promise<void> {
    const data = { by: actor, ...(comment === undefined ? {} : { reason: comment }) };
    const event = { id: randomUUID(), source: 'act', type: 'takeover' as const, time: at, subject, data };
    await this.deps.intake.accept([{ tenant, channel: null, event }]);
  }

  private async untilOver(ref: RunRef, attachment: string): Promise<ActAnswer> {
    const deadline = Date.now() + END_WAIT_MS;
    for (;;) {
      const run = await this.viewWithin(ref, Math.max(1, deadline - Date.now()));
      if (run !== null && run.id === attachment && run.status !== 'IN_PROGRESS') return { run, pending: false };
      if (run === null || run.id !== attachment) break;
      if (!(await this.deps.runs.waitForEnd(ref, Math.max(1, deadline - Date.now())))) return { run, pending: true };
    }
    const run = await this.asStored(ref, attachment);
    return { run, pending: run.endedAt === null };
  }

  private async viewWithin(ref: RunRef, timeoutMs: number): Promise<Run | null> {
    try {
      return await this.deps.runs.view(ref, timeoutMs);
    } catch (error) {
      if (error instanceof NotAttachedError || error instanceof NoWorkerError) return null;
      throw error;
    }
  }

  private async asStored(ref: RunRef, attachment: string): Promise<Run> {
    const run = await this.service.find(ref, attachment);
    if (run === null)
      throw new ProblemError(
        'temporal_unreachable',
        'accepted and stored; Temporal does not answer and the desk has not seen the run yet',
        { retryAfterSeconds: 5 },
      );
    return run;
  }

  /** Temporal says who is live, without a worker; when it is away, the desk does. @throws {ProblemError} `run_not_found` */
  private async whoIsLive(ref: RunRef): Promise<Live> {
    const { runs, desk } = this.deps;
    const described = await runs.describe(ref).catch((error: unknown) => {
      if (error instanceof TemporalUnavailableError) return error;
      throw error;
    });
    if (described !== null && !(described instanceof Error)) {
      if (described.live) return { attachment: described.attachment, live: true, run: null };
      const ended = await this.service.find(ref, described.attachment);
      // Closed without a word of ours: terminated or failed from outside. Temporal's own account stands in.
      const run = ended === null || ended.endedAt === null ? runFromSummary(described.run) : ended;
      return { attachment: described.attachment, live: false, run };
    }
    const record = await desk.runs.get(ref);
    if (record !== null) return { attachment: record.id, live: record.endedAt === null, run: null };
    if (described instanceof Error) throw described;
    throw new ProblemError('run_not_found', `nothing is or was attached as ${runName(ref)}`);
  }

  /** Asks the run, which may refuse; what it accepted is then told to the desk. */
  private async request(
    ref: RunRef,
    act: ActKind,
    asked: Act,
    ask: (client: RunClient) => Promise<Run>,
    actor: string,
  ): Promise<ActAnswer> {
    let run: Run;
    try {
      run = await ask(this.deps.runs);
    } catch (error) {
      if (error instanceof EndedError) return { run: await this.service.get(ref, asked.id), pending: false };
      if (error instanceof NotAttachedError) return { run: await this.forgotten(ref, asked), pending: false };
      throw error;
    }
    const { desk } = this.deps;
    const attachment = run.id as AttachmentId;
    const comment = asked.reason ?? null;
    await desk.acts.record({ ...ref, attachment, act, actor, comment, at: new Date().toISOString() });
    const due = {
      ...(run.nextRunAt === null ? {} : { nextRunAt: run.nextRunAt }),
      ...(run.nextRunWhy === null ? {} : { nextRunWhy: run.nextRunWhy }),
    };
    await desk.runs.recordPhase({
      attachment,
      phase: run.phase ?? 'ending',
      ...due,
      ...(act === 'pause' ? { actor, ...(comment === null ? {} : { comment }) } : {}),
    });
    return { run, pending: false };
  }

  /** Temporal has forgotten it, or never knew it: the desk remembers how it ended. */
  private async forgotten(ref: RunRef, { id }: Act): Promise<Run> {
    const run = await this.service.get(ref);
    if (id !== undefined && id !== run.id)
      throw new ProblemError('attachment_mismatch', `${runName(ref)} was last attached as ${run.id}`);
    if (run.endedAt === null)
      throw new ProblemError(
        'no_worker',
        'Temporal no longer knows this run; the reconciler will record how it was lost',
        { retryAfterSeconds: 60 },
      );
    return run;
  }
}

function stoppedBefore(ref: RunRef, kind: 'detach' | 'takeover'): ProblemError {
  const kept =
    kind === 'takeover'
      ? 'the conversation is held by a human from now on, and no rule attaches an agent to it'
      : 'a run that a rule is about to attach is detached as soon as it is there';
  return new ProblemError('run_not_found', `nothing is or was attached as ${runName(ref)}; ${kept}`);
}

function optionsOf(act: Act, actor: string): ActOptions {
  return { actor, comment: act.reason, attachment: act.id };
}

/** The instant as it is stored. @throws {ProblemError} `invalid`, naming the field. */
export function ahead(field: string, at: number): string {
  if (at <= Date.now()) throw invalidField(field, 'must lie ahead');
  if (at > Date.now() + MAX_INTERVAL_MS)
    throw invalidField(field, `must lie at most ${MAX_INTERVAL_MS / 86_400_000} days ahead`);
  return new Date(at).toISOString();
}
