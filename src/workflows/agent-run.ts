/**
 * One attached agent: prepare once, then wake, tick, perform what the tick decided, and sleep again, until the run
 * has an end. Every rule is in `run-state.ts`; this file only connects it to Temporal.
 */
import {
  ActivityFailure,
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  patched,
  Trigger,
  workflowInfo,
} from '@temporalio/workflow';
import type { AgentKey, AttachmentId, WorkflowId } from '../domain/ids.ts';
import type { Run } from '../domain/schemas/runs.ts';
import type { AgentRunInput } from './agent-run-input.ts';
import { effects, records, thinking } from './activities.ts';
import { CRASH_LOOP, PROVIDER_OUTAGE, type FailureDetail, type RunIdentity } from './activity-types.ts';
import type { Change } from './run-changes.ts';
import { newRunData, QUEUE_LIMIT, type RunData, type RunEffect } from './run-data.ts';
import { afterExhaustedRetries, pendingEffects } from './run-effects.ts';
import { listen, type Listener } from './run-handlers.ts';
import { RunPublication } from './run-publication.ts';
import { giveBack } from './run-queue.ts';
import { RunState } from './run-state.ts';
import type { Step, WakeReason } from './run-steps.ts';
import { summaryOf, viewOf } from './run-view.ts';

/** Rolls over after this many signals: far below the 10,000 a run may receive, and the seen ids are worth no more. */
const SIGNALS_PER_RUN = 2_000;
/** Histories before it begin the next tick while one that was cancelled may still think. */
const ONE_TICK_AT_A_TIME = 'one-tick-at-a-time';
const LATE_TAKEOVER: Change = 'late-takeover-is-recorded';
/** A caller's clock may be this slow: were it believed further, old messages of humans would object to every send. */
const CLOCK_SKEW_MS = 60_000;

export async function agentRun(input: AgentRunInput): Promise<Run> {
  const info = workflowInfo();
  const attachedAt = attachedAtOf(input.attach.attachedAt, info.startTime);
  const data =
    input.carried ??
    newRunData({
      attachment: info.firstExecutionRunId as AttachmentId,
      attachedAt,
      nextRunAt: attachedAt,
      handedBack: input.attach.handedBack,
    });
  const run = new RunState(data, info.workflowId as WorkflowId, patched);
  const loop = new Loop(run, input);
  listen(run, loop);
  const root = CancellationScope.current();
  root.cancelRequested.catch(() => {
    run.detached({ actor: 'temporal', at: new Date().toISOString() }, Date.now());
    loop.heard();
  });
  return CancellationScope.nonCancellable(() => loop.run());
}

class Loop implements Listener {
  private readonly state: RunState;
  private readonly input: AgentRunInput;
  private readonly published: RunPublication;
  private signals = 0;
  /** Where the activity runs that a message may make unwanted. */
  private interruptible: { readonly scope: CancellationScope; readonly ended: Trigger<undefined> } | null = null;

  constructor(state: RunState, input: AgentRunInput) {
    this.state = state;
    this.input = input;
    this.published = new RunPublication(state, input.carried === undefined ? null : state.data.nextRunAt);
  }

  heard(signals = 0): void {
    this.signals += signals;
    if (!this.state.isInterrupted()) return;
    this.interruptible?.scope.cancel();
    if (this.state.data.end !== null) this.interruptible?.ended.resolve(undefined);
  }

  view(): Run {
    return viewOf(this.state, this.input);
  }

  async run(): Promise<Run> {
    if (this.state.data.agent === null) await this.prepare();
    while (this.state.isLive()) {
      const step = await this.nextStep();
      await this.take(step);
    }
    await this.recordEnd();
    return this.view();
  }

  private async prepare(): Promise<void> {
    this.state.beginPrepare();
    const prepared = await this.unlessInterrupted(() =>
      records('prepare').prepare({ run: this.identity(), attach: this.input.attach }),
    );
    if (prepared === undefined) this.state.interrupted();
    else this.state.prepared(prepared, Date.now());
  }

  /** Waits until there is something to do. A roll-over happens here and only here: nothing is running. */
  private async nextStep(): Promise<Exclude<Step, { do: 'wait' }>> {
    for (;;) {
      if (this.shouldRollOver()) await this.rollOver();
      const step = this.state.nextStep(Date.now());
      const owesDesk = () => this.state.owesDesk(step, Date.now());
      if (owesDesk()) {
        await this.tellDesk();
        continue;
      }
      if (step.do !== 'wait') return step;
      this.published.nextRunAt();
      const disturbed = () => this.state.isDisturbed(step.until, Date.now()) || owesDesk() || this.shouldRollOver();
      if (step.until === Infinity) await condition(disturbed);
      else await condition(disturbed, Math.max(1, step.until - Date.now()), { summary: summaryOf(this.state) });
    }
  }

  private async take(step: Exclude<Step, { do: 'wait' }>): Promise<void> {
    switch (step.do) {
      case 'tick':
        return this.tick(step.why);
      case 'perform':
        if (!this.state.givesUpInstead(Date.now())) return this.perform(step.effect);
        this.state.giveUpEnding();
        return;
      case 'catchUp':
        return this.catchUp();
      case 'resume':
        this.state.resume({}, Date.now(), 0);
        return;
      case 'finish':
        this.state.giveUpEnding();
        return;
    }
  }

  private async catchUp(): Promise<void> {
    const afterSeq = this.state.beginCatchUp();
    const input = { run: this.identity(), afterSeq, limit: QUEUE_LIMIT };
    this.state.caughtUp(await records('read on in the desk').catchUp(input), Date.now());
  }

  private async tellDesk(): Promise<void> {
    const { data } = this.state;
    const [cancelled, asked] = [[...data.cancelled], data.asked ?? []];
    const summary = asked.length > 0 ? 'tell what was asked' : 'tell what was taken back';
    await records(summary).takeBack({ run: this.identity(), cancelled, asked });
    data.cancelled = data.cancelled.slice(cancelled.length);
    data.asked = (data.asked ?? []).filter((one) => !asked.includes(one));
  }

  private async tick(why: WakeReason): Promise<void> {
    const { state } = this;
    const { data } = state;
    const told = state.beginTick(Date.now());
    if (told === null || data.agent === null) return;
    const { agent } = data;
    const input = {
      ...told,
      run: this.identity(),
      agent,
      state: data.state,
      tick: data.ticks,
      why,
      dueAt: data.nextRunAt,
      failures: data.failures,
      pendingEffects: pendingEffects(data),
      ...(data.outageSince === null ? {} : { outageSince: data.outageSince }),
      ...(data.handedBack == null ? {} : { handedBack: data.handedBack }),
    };
    try {
      const isAwaited = why !== 'due' || told.events.length > 0;
      const isAlone = patched(ONE_TICK_AT_A_TIME);
      const options = { summary: `tick ${data.ticks}: ${why}`, isAwaited, isAlone };
      const result = await this.unlessInterrupted(() => thinking(agent, options).tick(input));
      if (result === undefined) state.interrupted();
      else state.ticked(result, told, Date.now());
    } catch (error) {
      this.failed(error);
    }
  }

  /** What `activities/failures.ts` decided, carried over the wire as a type. */
  private failed(error: unknown): void {
    if (!(error instanceof ActivityFailure)) throw error;
    const cause = error.cause;
    const comment = cause instanceof ApplicationFailure ? commentOf(cause) : (cause?.message ?? error.message);
    const type = cause instanceof ApplicationFailure ? cause.type : undefined;
    if (type === CRASH_LOOP) this.state.crashLooped(comment, Date.now());
    else if (type === PROVIDER_OUTAGE) this.state.tickPostponed(comment, Date.now());
    else this.state.tickFailed(comment, Date.now());
  }

  private async perform(effect: RunEffect): Promise<void> {
    const { state } = this;
    const { agent } = state.data;
    if (agent === null) return;
    state.beginEffect(effect);
    const { key, since, attempts } = effect;
    try {
      const performed = await this.unlessInterrupted(() =>
        effects(effect.effect.kind).perform({
          run: this.identity(),
          policy: agent.policy,
          key,
          effect: effect.effect,
          since,
          performs: attempts,
        }),
      );
      if (performed === undefined) state.interrupted();
      else state.performed(key, performed, Date.now());
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      state.performed(key, afterExhaustedRetries(effect, agent.policy, Date.now()), Date.now());
    }
  }

  /** The desk is told until nothing more has arrived: what came after the end is routed again, who took over then holds it. */
  private async recordEnd(): Promise<void> {
    const { data } = this.state;
    this.published.end();
    let heldBy: RunData['heldBy'];
    do {
      const unhandled = giveBack(data);
      const cancelled = data.cancelled.splice(0);
      const asked = data.asked?.splice(0) ?? [];
      heldBy = data.heldBy;
      const held = heldBy === undefined ? {} : { heldBy };
      const end = { run: this.identity(), view: this.view(), unhandled, cancelled, asked, ...held };
      await records('record the end').recordEnd(end);
      if (data.queue.length === 0 && data.overflow !== null) await this.catchUp();
    } while (data.queue.length > 0 || data.overflow !== null || (data.heldBy !== heldBy && patched(LATE_TAKEOVER)));
  }

  /**
   * Undefined: the state no longer wants it, and it was cancelled. A tick that the customer has overtaken is waited for,
   * so that no second one thinks beside it; an end is not kept waiting.
   */
  private async unlessInterrupted<Result>(start: () => Promise<Result>): Promise<Result | undefined> {
    const scope = new CancellationScope();
    const ended = new Trigger<undefined>();
    this.interruptible = { scope, ended };
    try {
      const started = scope.run(start);
      // A message may have been faster.
      this.heard();
      const result = await Promise.race([started, ended]);
      return this.state.isInterrupted() ? undefined : result;
    } catch (error) {
      if (this.state.isInterrupted()) return undefined;
      throw error;
    } finally {
      this.interruptible = null;
    }
  }

  private shouldRollOver(): boolean {
    return workflowInfo().continueAsNewSuggested || this.signals >= SIGNALS_PER_RUN;
  }

  private async rollOver(): Promise<never> {
    await condition(allHandlersFinished);
    this.published.nextRunAt(0);
    return continueAsNew<typeof agentRun>({ ...this.input, carried: this.state.data });
  }

  private identity(): RunIdentity {
    const { tenant, subject, slot, attach } = this.input;
    const { attachment, attachedAt } = this.state.data;
    return {
      workflowId: this.state.workflowId,
      attachment,
      attachedAt,
      tenant,
      subject,
      slot,
      agent: attach.agent as AgentKey,
    };
  }
}

function commentOf(failure: ApplicationFailure): string {
  const [detail] = (failure.details ?? []) as FailureDetail[];
  return detail === undefined ? failure.message : `${detail.fault}: ${detail.message}`;
}

function attachedAtOf(told: string | undefined, started: Date): string {
  const at = told === undefined ? NaN : Date.parse(told);
  const earliest = started.getTime() - CLOCK_SKEW_MS;
  return (at < started.getTime() ? new Date(Math.max(at, earliest)) : started).toISOString();
}
