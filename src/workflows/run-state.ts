/**
 * The state of a run and every rule that changes it: pure, deterministic, tested without Temporal. Message handlers
 * push facts in, the loop asks for the next step and hands results back. All times are workflow time in milliseconds.
 */
import { ms } from '../domain/durations.ts';
import { isFromCustomer, wakesOn, type EventRef } from '../domain/event-refs.ts';
import type { EffectKey, WorkflowId } from '../domain/ids.ts';
import type { CaughtUp, Performed, Prepared, TickResult } from './activity-types.ts';
import type { Detached, HumanTookOver, Pause, Resume, SendPermit, SendPermitRequest, Snooze } from './messages.ts';
import { instant, RETHINK_LIMIT, type RunData, type RunEffect } from './run-data.ts';
import { cancelEffects, settleEffect, unpark } from './run-effects.ts';
import { decideEnd, interrupt, isStale } from './run-ends.ts';
import { applyOutcome, plan } from './run-outcome.ts';
import { adopt, consume, enqueue, refill } from './run-queue.ts';
import { nextStep, type Step } from './run-steps.ts';

/** A provider's outage postpones the run by this much at most, however long `retryAfter` is: a customer may be waiting. */
const OUTAGE_POSTPONE_MS = 5 * 60_000;

/** What is running right now, outside: decides the phase, and what a message may interrupt. */
export type Running =
  | { readonly what: 'prepare'; snoozed: boolean }
  | { readonly what: 'tick'; overtaken: boolean; snoozed: boolean }
  | { readonly what: 'effect'; readonly key: EffectKey }
  | { readonly what: 'catchUp' }
  | null;

/** What one tick is told. */
export interface Briefing {
  readonly events: readonly EventRef[];
  readonly failedEffects: RunData['failedEffects'];
  readonly cancelled: RunData['cancelled'];
}

export class RunState {
  readonly data: RunData;
  readonly workflowId: WorkflowId;
  running: Running = null;

  constructor(data: RunData, workflowId: WorkflowId) {
    this.data = data;
    this.workflowId = workflowId;
  }

  // ── Facts ─────────────────────────────────────────────────────────────────────────────────────────────────────

  eventArrived(event: EventRef, now: number): void {
    const { data } = this;
    if (event.attachment !== undefined && event.attachment !== data.attachment) return;
    const isNew = enqueue(data, event, this.running?.what === 'catchUp');
    if (!isNew || data.end !== null) return;
    if (event.optOut === true)
      return decideEnd(this.data, 'EXITED_ON_INBOUND', 'opted_out', { actor: 'customer', now });
    const isFromThem = isFromCustomer(event.type);
    if (isFromThem)
      cancelEffects(data, 'customer_wrote', ({ effect }) => effect.kind === 'message.send' && effect.proactive);
    if (!this.wakes(event)) return;
    data.burst = { firstAt: data.burst?.firstAt ?? now, lastAt: now };
    data.notBefore = null;
    if (isFromThem && this.running?.what === 'tick' && this.mayRethink()) this.running.overtaken = true;
  }

  humanTookOver(fact: HumanTookOver, now: number): void {
    if (isStale(this.data, fact)) return;
    if (fact.explicit !== true) {
      const policy = this.data.agent?.policy.onHumanMessage;
      if (policy === undefined) this.data.earlyTakeover ??= fact;
      else if (policy === 'pause' && fact.cause !== 'closed_by_human') this.pause(fact);
      else if (policy !== 'ignore') interrupt(this.data, 'EXITED_ON_OUTBOUND', fact.cause, { ...fact, now });
      return;
    }
    interrupt(this.data, 'EXITED_ON_OUTBOUND', fact.cause, { ...fact, now });
  }

  detached(fact: Detached, now: number): void {
    if (isStale(this.data, fact)) return;
    interrupt(this.data, 'REMOVED_BY_USER', fact.reason ?? 'detached', { ...fact, now });
  }

  // ── Requests ──────────────────────────────────────────────────────────────────────────────────────────────────

  pause(request: Pick<Pause, 'actor' | 'comment' | 'until'>): void {
    if (!this.isLive()) return;
    this.data.paused = { actor: request.actor, comment: request.comment ?? null, until: request.until ?? null };
  }

  /** Overdue or queued: one tick, spread over `jitterMs` by `seed` (0 to 1). */
  resume(request: Pick<Resume, 'jitterMs'>, now: number, seed: number): void {
    const { data } = this;
    if (data.paused === null) return;
    data.paused = null;
    for (const effect of data.effects) if (effect.reason === 'paused') unpark(effect);
    if (request.jitterMs !== undefined) data.notBefore = now + Math.floor(seed * request.jitterMs);
  }

  /** What is being prepared or thought out right now does not undo it. */
  snooze(request: Snooze): void {
    plan(this.data, request.until, `snoozed by ${request.actor}`);
    this.data.wakeRequestedBy = null;
    if (this.running?.what === 'prepare' || this.running?.what === 'tick') this.running.snoozed = true;
  }

  wakeNow(actor: string): void {
    this.data.wakeRequestedBy = actor;
    this.data.notBefore = null;
  }

  // ── Questions ─────────────────────────────────────────────────────────────────────────────────────────────────

  isLive(): boolean {
    return this.data.end === null || this.data.effects.length > 0;
  }

  /** The run's half of rule 4: yes only for a key among the current unfinished effects of this very attachment. */
  permit({ key, attachment }: SendPermitRequest): SendPermit {
    if (attachment !== this.data.attachment) return { permitted: false, reason: 'other_attachment' };
    if (!this.data.effects.some((effect) => effect.key === key)) return { permitted: false, reason: 'not_current' };
    if (this.data.paused !== null) return { permitted: false, reason: 'paused' };
    return { permitted: true };
  }

  /** Should what is running be cancelled? A tick by an end or a newer message, an effect once it is no longer wanted. */
  isInterrupted(): boolean {
    const { running, data } = this;
    switch (running?.what) {
      case undefined:
      case 'catchUp':
        return false;
      case 'prepare':
        return data.end !== null;
      case 'tick':
        return data.end !== null || running.overtaken;
      case 'effect':
        return !data.effects.some(({ key }) => key === running.key);
    }
  }

  interrupted(): void {
    if (this.running?.what === 'tick' && this.running.overtaken) this.data.rethinks += 1;
    this.running = null;
  }

  nextStep(now: number): Step {
    return nextStep(this.data, now);
  }

  /** Would a wait until `armed` now be too long? What the loop's condition asks after every message. */
  isDisturbed(armed: number, now: number): boolean {
    const step = this.nextStep(now);
    return step.do !== 'wait' || step.until < armed;
  }

  // ── Results ───────────────────────────────────────────────────────────────────────────────────────────────────

  beginPrepare(): void {
    this.running = { what: 'prepare', snoozed: false };
  }

  prepared(prepared: Prepared, now: number): void {
    const { snoozed } = this.stopped();
    if (prepared.result === 'refused') {
      const { status, reason, comment } = prepared;
      if (this.data.end === null) decideEnd(this.data, status, reason, { actor: 'system', comment, now });
      return;
    }
    this.data.agent = prepared.agent;
    if (this.data.end !== null) return;
    this.data.state = prepared.state;
    if (!snoozed) plan(this.data, prepared.nextRunAt, prepared.nextRunWhy);
    // Earlier messages wake nothing: the first run is planned. Signals that were faster than prepare do.
    // So does what a topic told meanwhile.
    const news = [...this.data.queue, ...prepared.events.filter(({ type }) => !isFromCustomer(type))];
    if (news.some((event) => this.wakes(event))) this.data.burst = { firstAt: now, lastAt: now };
    adopt(this.data, prepared.events);
    if (this.data.earlyTakeover !== null) this.humanTookOver(this.data.earlyTakeover, now);
  }

  /** A tick begins: what it is told and, if its outcome counts, consumes. Null: the cap is reached and the run has ended. */
  beginTick(now: number): Briefing | null {
    const { data } = this;
    if (data.agent?.policy.maxTicks !== undefined && data.ticks >= data.agent.policy.maxTicks) {
      decideEnd(this.data, 'REMOVED_BY_SYSTEM', 'tick_cap', { actor: 'system', comment: `${data.ticks} ticks`, now });
      return null;
    }
    data.ticks += 1;
    data.burst = null;
    data.wakeRequestedBy = null;
    data.notBefore = null;
    this.running = { what: 'tick', overtaken: false, snoozed: false };
    return { events: [...data.queue], failedEffects: [...data.failedEffects], cancelled: [...data.cancelled] };
  }

  /** A tick's result is thrown away when the run ended, or a customer wrote, while it was thinking. */
  ticked(result: TickResult, told: Briefing, now: number): void {
    const { data } = this;
    const { overtaken, snoozed } = this.stopped();
    if (data.end !== null) return;
    if (result.result === 'switched_off') {
      const { by, comment } = result;
      return decideEnd(this.data, 'REMOVED_BY_USER', 'switched_off', {
        actor: by,
        ...(comment === null ? {} : { comment }),
        now,
      });
    }
    if (overtaken) {
      data.rethinks += 1;
      return;
    }
    data.agent = result.agent ?? data.agent;
    consume(data, told.events);
    data.failedEffects = data.failedEffects.slice(told.failedEffects.length);
    data.cancelled = data.cancelled.slice(told.cancelled.length);
    data.failures = 0;
    data.rethinks = 0;
    data.outageSince = null;
    if (data.handedBack !== undefined) data.handedBack = null;
    applyOutcome(data, { workflowId: this.workflowId, outcome: result.outcome, snoozed, now });
  }

  /** A fault the tick reported: counted. The events stay queued for the next try and wake nothing by themselves. */
  tickFailed(comment: string, now: number): void {
    const { data } = this;
    const { snoozed } = this.stopped();
    if (data.end !== null || data.agent === null) return;
    data.failures += 1;
    data.rethinks = 0;
    const { maxConsecutiveFailures, retryAfter } = data.agent.policy;
    if (data.failures >= maxConsecutiveFailures)
      return decideEnd(this.data, 'REMOVED_BY_SYSTEM', 'consecutive_failures', { actor: 'system', comment, now });
    if (!snoozed)
      plan(
        this.data,
        instant(now + ms(retryAfter)),
        `failed ${data.failures} of ${maxConsecutiveFailures}: ${comment}`,
      );
  }

  /** A provider's outage outlasted the wake-up: postponed and uncounted, until the policy's grace is over. */
  tickPostponed(comment: string, now: number): void {
    const { data } = this;
    if (data.agent === null) return;
    data.outageSince ??= instant(now);
    if (now - Date.parse(data.outageSince) >= ms(data.agent.policy.outageGrace)) return this.tickFailed(comment, now);
    const { snoozed } = this.stopped();
    data.rethinks = 0;
    if (data.end !== null || snoozed) return;
    const pause = Math.min(ms(data.agent.policy.retryAfter), OUTAGE_POSTPONE_MS);
    plan(this.data, instant(now + pause), `postponed, provider outage since ${data.outageSince}: ${comment}`);
  }

  crashLooped(comment: string, now: number): void {
    this.running = null;
    if (this.data.end === null)
      decideEnd(this.data, 'REMOVED_BY_SYSTEM', 'crash_loop', { actor: 'system', comment, now });
  }

  beginEffect(effect: RunEffect): void {
    effect.state = 'performing';
    this.running = { what: 'effect', key: effect.key };
  }

  performed(key: EffectKey, performed: Performed, now: number): void {
    this.running = null;
    settleEffect(this.data, key, performed);
    // Resumed while it was being told that the run is paused: nobody would come to wake it.
    const parked = this.data.effects.find((effect) => effect.key === key && effect.dueAt === null);
    if (parked !== undefined && this.data.paused === null) unpark(parked);
    if (performed.result === 'unreachable' && this.data.end === null)
      decideEnd(this.data, 'REMOVED_BY_SYSTEM', 'unreachable_contact', {
        actor: 'system',
        comment: performed.reason,
        now,
      });
  }

  /** @returns the `seq` after which the desk is to be read. */
  beginCatchUp(): number {
    this.running = { what: 'catchUp' };
    return this.data.overflow?.after ?? 0;
  }

  caughtUp(caughtUp: CaughtUp, now: number): void {
    this.running = null;
    const found = refill(this.data, caughtUp);
    if (this.data.end === null && found.some((event) => this.wakes(event)))
      this.data.burst ??= { firstAt: now, lastAt: now };
  }

  /** `ending` has lasted as long as it may: what is left is taken back. */
  giveUpEnding(): void {
    cancelEffects(this.data, 'ending_timed_out', () => true);
  }

  // ── Waking ────────────────────────────────────────────────────────────────────────────────────────────────────

  private wakes(event: EventRef): boolean {
    return this.data.agent !== null && wakesOn(this.data.agent.wakeOn, event.type);
  }

  private mayRethink(): boolean {
    return this.data.agent?.policy.onOvertaken === 'rethink' && this.data.rethinks < RETHINK_LIMIT;
  }

  /** Nothing runs any more; what was said to what ran. */
  private stopped(): { overtaken: boolean; snoozed: boolean } {
    const { running } = this;
    this.running = null;
    return {
      overtaken: running?.what === 'tick' && running.overtaken,
      snoozed: (running?.what === 'tick' || running?.what === 'prepare') && running.snoozed,
    };
  }
}
