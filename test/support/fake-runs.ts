/** Temporal and a worker, in memory: as much of the client's contract as the API leans on. */
import {
  AttachmentMismatchError,
  EndedError,
  NotAttachedError,
  NoWorkerError,
  TemporalUnavailableError,
  type ActOptions,
  type RunClient,
  type RunName,
} from '../../src/client.ts';
import { parseRunName, runName, runWorkflowId, type RunRef } from '../../src/domain/ids.ts';
import type { Run } from '../../src/domain/schemas/runs.ts';

export type Weather = 'fair' | 'no_worker' | 'unreachable';

export class FakeRuns implements RunClient {
  weather: Weather = 'fair';
  /** By name: every attachment, oldest first. */
  readonly chains = new Map<string, Run[]>();
  readonly signals: { run: string; signal: string; options: ActOptions }[] = [];
  /** What a detach or takeover waits for: by default the run ends at once. */
  endsAtOnce = true;
  /** How often one was asked for its own account. */
  asked = 0;
  private count = 0;

  async attach(options: Parameters<RunClient['attach']>[0]): ReturnType<RunClient['attach']> {
    this.reach();
    const ref = refOf(options);
    const existing = this.latest(ref);
    if (existing !== undefined && (existing.endedAt === null || existing.phase === 'ending'))
      return { attached: false, run: existing };
    const run: Run = {
      ...ref,
      id: `attachment-${++this.count}`,
      agent: options.agent as Run['agent'],
      agentVersion: null,
      status: 'IN_PROGRESS',
      reason: null,
      phase: 'asleep',
      actor: options.actor,
      comment: options.comment ?? null,
      attachedAt: new Date().toISOString(),
      endedAt: null,
      nextRunAt: options.firstRunAt ?? new Date().toISOString(),
      nextRunWhy: 'attached',
      ticks: 0,
      failures: 0,
      workflowId: runWorkflowId(ref),
      config: (options.config ?? {}) as Run['config'],
      state: {},
      policy: null,
      pendingEffects: [],
      pausedUntil: null,
      queued: 0,
    };
    this.chains.set(runName(ref), [...(this.chains.get(runName(ref)) ?? []), run]);
    return { attached: true, run };
  }

  async detach(run: RunName, options: Parameters<RunClient['detach']>[1]): ReturnType<RunClient['detach']> {
    return this.signal(run, 'detached', options, { status: 'REMOVED_BY_USER', reason: 'detached' });
  }

  async takeOver(run: RunName, options: Parameters<RunClient['takeOver']>[1]): ReturnType<RunClient['takeOver']> {
    return this.signal(run, 'humanTookOver', options, { status: 'EXITED_ON_OUTBOUND', reason: 'taken_over' });
  }

  async pause(run: RunName, options: Parameters<RunClient['pause']>[1]): Promise<Run> {
    return this.update(run, options, { phase: 'paused', actor: options.actor, pausedUntil: options.until ?? null });
  }

  async resume(run: RunName, options: ActOptions): Promise<Run> {
    return this.update(run, options, { phase: 'asleep', pausedUntil: null });
  }

  async snooze(run: RunName, options: Parameters<RunClient['snooze']>[1]): Promise<Run> {
    return this.update(run, options, { nextRunAt: options.until, nextRunWhy: 'snoozed' });
  }

  async wakeNow(run: RunName, options: ActOptions): Promise<Run> {
    return this.update(run, options, { nextRunAt: new Date().toISOString(), nextRunWhy: 'asked for' });
  }

  async view(run: RunName): Promise<Run> {
    this.asked += 1;
    const ref = refOf(run);
    if (this.weather !== 'fair') throw new NoWorkerError(ref);
    return this.mustHave(ref);
  }

  async describe(run: RunName): ReturnType<RunClient['describe']> {
    this.reach();
    const found = this.latest(refOf(run));
    return found === undefined ? null : { live: found.endedAt === null, attachment: found.id as never, run: found };
  }

  async waitForEnd(run: RunName): Promise<boolean> {
    return this.latest(refOf(run))?.endedAt !== null;
  }

  async list(): ReturnType<RunClient['list']> {
    return [...this.chains.values()].flat();
  }

  async due(): ReturnType<RunClient['due']> {
    return this.list();
  }

  async countByStatus(): ReturnType<RunClient['countByStatus']> {
    throw new Error('the API counts in the desk');
  }

  /** As an agent that ended by itself would. */
  end(run: RunName, end: Pick<Run, 'status' | 'reason'>): Run {
    return this.change(refOf(run), {
      ...end,
      phase: null,
      endedAt: new Date().toISOString(),
      nextRunAt: null,
      nextRunWhy: null,
    });
  }

  /** As if Temporal's retention time had passed. */
  forget(run: RunName): void {
    this.chains.delete(runName(refOf(run)));
  }

  private async signal(
    run: RunName,
    signal: string,
    options: ActOptions,
    end: Pick<Run, 'status' | 'reason'>,
  ): ReturnType<RunClient['detach']> {
    this.reach();
    const ref = refOf(run);
    const found = this.mustHave(ref);
    if (options.attachment !== undefined && options.attachment !== found.id)
      throw new AttachmentMismatchError(ref, options.attachment);
    if (found.endedAt !== null) return { accepted: false, run: found };
    this.signals.push({ run: runName(ref), signal, options });
    if (this.endsAtOnce && this.weather === 'fair')
      this.change(ref, {
        actor: options.actor,
        comment: options.comment ?? null,
        ...end,
        phase: null,
        endedAt: new Date().toISOString(),
        nextRunAt: null,
      });
    return { accepted: true };
  }

  private update(run: RunName, options: ActOptions, change: Partial<Run>): Run {
    this.reach();
    const ref = refOf(run);
    const found = this.mustHave(ref);
    if (options.attachment !== undefined && options.attachment !== found.id)
      throw new AttachmentMismatchError(ref, options.attachment);
    if (found.endedAt !== null) throw new EndedError(found);
    if (this.weather === 'no_worker') throw new NoWorkerError(ref);
    return this.change(ref, change);
  }

  private reach(): void {
    if (this.weather === 'unreachable') throw new TemporalUnavailableError(new Error('14 UNAVAILABLE'));
  }

  private latest(ref: RunRef): Run | undefined {
    return this.chains.get(runName(ref))?.at(-1);
  }

  private mustHave(ref: RunRef): Run {
    const found = this.latest(ref);
    if (found === undefined) throw new NotAttachedError(ref);
    return found;
  }

  private change(ref: RunRef, change: Partial<Run>): Run {
    const changed = { ...this.mustHave(ref), ...change };
    this.chains.set(runName(ref), [...(this.chains.get(runName(ref)) ?? []).slice(0, -1), changed]);
    return changed;
  }
}

function refOf({ tenant, subject, slot }: RunName): RunRef {
  return parseRunName(`${tenant}/${subject}/${slot}`);
}
