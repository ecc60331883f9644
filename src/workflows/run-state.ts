/**
 * The state of a run and every rule that changes it: pure, deterministic, tested without Temporal. Message handlers push
 * facts in (`told-run.ts`), the loop asks for the next step and hands results back. All times are workflow time in ms.
 */
import { ms } from '../domain/durations.ts';
import { isFromCustomer, type EventRef } from '../domain/event-refs.ts';
import type { EffectKey } from '../domain/ids.ts';
import { instant } from '../domain/instants.ts';
import { failedSo, postponedFor } from '../domain/next-run-why.ts';
import { postponedBy } from '../domain/postponement.ts';
import type { CaughtUp, Performed, Prepared, TickResult } from './activity-types.ts';
import type { RunData, RunEffect } from './run-data.ts';
import { cancelEffects, giveUpEffects, settleEffect, unpark } from './run-effects.ts';
import { decideEnd } from './run-ends.ts';
import { applyOutcome, plan } from './run-outcome.ts';
import { adopt, consume, refill } from './run-queue.ts';
import { endingUntil, isTooLate, nextStep, type Step } from './run-steps.ts';
import { ToldRun } from './told-run.ts';

/** What was taken back is told with the next tick where that is no further off: an activity less. */
const TELLS_SOON_MS = 60_000;

/** What one tick is told. */
export interface Briefing {
  readonly events: readonly EventRef[];
  readonly failedEffects: RunData['failedEffects'];
  readonly cancelled: RunData['cancelled'];
}

export class RunState extends ToldRun {
  // ── Questions ─────────────────────────────────────────────────────────────────────────────────────────────────

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

  /**
   * Was something asked of it over Temporal alone? Told before anything else is done: a resume speaks for the sends after it.
   * Or has it taken something back of which the desk would not hear soon? Until then lists count down to what is never sent.
   */
  owesDesk(next: Step, now: number): boolean {
    if ((this.data.asked ?? []).length > 0) return true;
    if (next.do !== 'wait' || this.data.cancelled.length === 0) return false;
    return next.until - now > TELLS_SOON_MS && this.patched('taken-back-is-told');
  }

  /** A history of before gives up, after a day of `ending`, also what today is still tried. */
  givesUpInstead(now: number): boolean {
    return now >= endingUntil(this.data) && !this.patched('ending-gives-up-in-parts');
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
    const { workflowId, patched } = this;
    applyOutcome(data, { workflowId, patched, outcome: result.outcome, snoozed, now });
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
        failedSo({ failures: data.failures, allowed: maxConsecutiveFailures, message: comment }),
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
    plan(
      this.data,
      instant(now + postponedBy(data.agent.policy)),
      postponedFor({ since: data.outageSince, message: comment }),
    );
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
    this.yieldToCustomer();
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

  /** `ending` has lasted as long as it may. */
  giveUpEnding(): void {
    const { data } = this;
    if (data.effects.length === 0) return;
    if (this.patched('ending-gives-up-in-parts'))
      giveUpEffects(data, 'ending_timed_out', (effect) => isTooLate(data, effect));
    else cancelEffects(data, 'ending_timed_out', () => true);
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
