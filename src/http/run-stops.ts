/** What ends a run by a person's hand: detaching its agent, and taking its conversation over. Idempotent. */
import { randomUUID } from 'node:crypto';
import {
  AttachmentMismatchError,
  NotAttachedError,
  NoWorkerError,
  TemporalUnavailableError,
  type ActOptions,
  type RunClient,
} from '../client.ts';
import { conversationOf, runName, type AttachmentId, type RunRef } from '../domain/ids.ts';
import type { Run } from '../domain/schemas/runs.ts';
import type { ActAnswer, AskedAct, HttpDeps } from './deps.ts';
import { ProblemError } from './problems.ts';
import { runFromSummary } from './run-views.ts';
import type { RunService } from './run-service.ts';

/** How long detach and takeover wait for the run to say that it is over, before they answer `pending`. */
const END_WAIT_MS = 5_000;

/** What is asked, with how the run is told of it. */
interface Stop extends AskedAct {
  readonly kind: 'detach' | 'takeover';
  readonly tell: (client: RunClient, options: ActOptions & { readonly at: string }) => Promise<unknown>;
}

/** What is attached under a name, or was last. `isCertain`: Temporal says so, and not the desk alone while it is away. */
interface Found {
  readonly attachment: string;
  readonly live: boolean;
  readonly run: Run | null;
  readonly isCertain: boolean;
}

type Deps = Pick<HttpDeps, 'desk' | 'runs' | 'intake'>;

export class RunStops {
  private readonly deps: Deps;
  private readonly service: RunService;

  constructor(deps: Deps, service: RunService) {
    this.deps = deps;
    this.service = service;
  }

  async detach(asked: AskedAct): Promise<ActAnswer> {
    return this.stop({ ...asked, kind: 'detach', tell: (client, options) => client.detach(asked.ref, options) });
  }

  /** Ends the run that is named; every other run on the conversation hears of it as of any human's coming in. */
  async takeOver(asked: AskedAct): Promise<ActAnswer> {
    return this.stop({ ...asked, kind: 'takeover', tell: (client, options) => client.takeOver(asked.ref, options) });
  }

  /** Accepted once the desk has it: from then on the permit says no, whether or not the run has heard. */
  private async stop(asked: Stop): Promise<ActAnswer> {
    const { ref, act, actor, kind, tell } = asked;
    const found = await this.whoIsLive(ref, act.id);
    if (found === 'unseen') {
      await this.keep(asked, act.id ?? null);
      throw unseen();
    }
    if (found === 'nobody') {
      if (act.id === undefined && (await this.foreclose(asked))) throw stoppedBefore(ref, kind);
      throw new ProblemError('run_not_found', `nothing is or was attached as ${runName(ref)}`);
    }
    const { attachment, live, isCertain } = found;
    if (act.id !== undefined && act.id !== attachment)
      throw new ProblemError('attachment_mismatch', `${runName(ref)} is attached as ${attachment} now`);
    if (!live) {
      if (act.id === undefined && !isCertain) await this.keep(asked, null);
      // A rule may be about to attach another one, and whoever takes over takes over from that one too.
      else if (act.id === undefined && kind === 'takeover') await this.foreclose(asked);
      return { run: found.run ?? (await this.service.get(ref, attachment)), pending: false };
    }
    const at = await this.keep(asked, attachment);
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
  private async foreclose(asked: Stop): Promise<boolean> {
    const { ref, kind } = asked;
    const id = conversationOf(ref.subject);
    if (id === undefined) return false;
    const isHeld = async () => (await this.deps.desk.conversations.get(ref.tenant, id))?.owner === 'human';
    if (kind === 'detach' || !(await isHeld())) await this.keep(asked, null);
    return true;
  }

  /**
   * What was asked is in the desk from here on, and holds until the run hears of it: the reconciler tells it. The human's coming in
   * goes first, since it concerns every run on the conversation: whoever dies in between has told them all.
   * @param attachment null: whichever was attached by now. @returns when it was asked for.
   */
  private async keep({ ref, kind, act, actor }: Stop, attachment: string | null): Promise<string> {
    const at = new Date().toISOString();
    const comment = act.reason ?? null;
    if (kind === 'takeover' && conversationOf(ref.subject) !== undefined)
      await this.announce(ref, { actor, comment: act.reason, at });
    const record = { ...ref, attachment: attachment as AttachmentId | null, act: kind, actor, comment, at };
    await this.deps.desk.acts.record(record);
    return at;
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

  /** Who gave no answer all that time is asked nothing more. */
  private async asStored(ref: RunRef, attachment: string): Promise<Run> {
    const run = await this.service.unasked(ref, { id: attachment, isNotThere: false });
    if (run === null) throw unseen();
    return run;
  }

  /**
   * Temporal says who is live, without a worker; when it is away, the desk does. `nobody`: neither has ever heard of one.
   * `unseen`: Temporal is away, and the run that is meant has no row in the desk (yet).
   */
  private async whoIsLive(ref: RunRef, meant: string | undefined): Promise<Found | 'nobody' | 'unseen'> {
    const { runs, desk } = this.deps;
    const described = await runs.describe(ref).catch((error: unknown) => {
      if (error instanceof TemporalUnavailableError) return 'away' as const;
      throw error;
    });
    if (described !== null && described !== 'away') {
      const { attachment, live } = described;
      if (live) return { attachment, live, run: null, isCertain: true };
      const ended = await this.service.find(ref, attachment);
      // Closed without a word of ours: terminated or failed from outside. Temporal's own account stands in.
      const run = ended === null || ended.endedAt === null ? runFromSummary(described.run) : ended;
      return { attachment, live, run, isCertain: true };
    }
    const isCertain = described !== 'away';
    const record = await desk.runs.get(ref);
    const isSeen = record !== null && (meant === undefined || (await desk.runs.get({ ...ref, id: meant })) !== null);
    if (!isCertain && !isSeen) return 'unseen';
    return record === null ? 'nobody' : { attachment: record.id, live: record.endedAt === null, run: null, isCertain };
  }
}

function unseen(): ProblemError {
  return new ProblemError(
    'temporal_unreachable',
    'accepted and stored; Temporal does not answer and the desk has not seen the run yet',
    { retryAfterSeconds: 5 },
  );
}

function stoppedBefore(ref: RunRef, kind: Stop['kind']): ProblemError {
  const kept =
    kind === 'takeover'
      ? 'the conversation is held by a human from now on, and no rule attaches an agent to it'
      : 'a run that a rule is about to attach is detached as soon as it is there';
  return new ProblemError('run_not_found', `nothing is or was attached as ${runName(ref)}; ${kept}`);
}
