/**
 * What a run is told, and what that changes: facts, which cannot be refused, and requests. Pure and deterministic; message
 * handlers call it. All times are workflow time in milliseconds.
 */
import { isFromCustomer, wakesOn, type EventRef } from '../domain/event-refs.ts';
import type { EffectKey, WorkflowId } from '../domain/ids.ts';
import { snoozedBy } from '../domain/next-run-why.ts';
import type { EndReason, TerminalStatus } from '../domain/statuses.ts';
import type {
  Detached,
  HumanTookOver,
  Pause,
  Request,
  Resume,
  SendPermit,
  SendPermitRequest,
  Snooze,
  Undelivered,
} from './messages.ts';
import type { Patched } from './run-changes.ts';
import { ASKED_LIMIT, type AskedAct, RETHINK_LIMIT, type RunData } from './run-data.ts';
import { cancelEffects, isSend, unpark } from './run-effects.ts';
import { decideEnd, isStale, overtakenInEnding, stop } from './run-ends.ts';
import { plan } from './run-outcome.ts';
import { enqueue, isFirst } from './run-queue.ts';
import { isDealtWith, resendOf, sendAgain } from './run-resends.ts';

/** What is running right now, outside: decides the phase, and what a message may interrupt. */
export type Running =
  | { readonly what: 'prepare'; snoozed: boolean }
  | { readonly what: 'tick'; overtaken: boolean; snoozed: boolean }
  | { readonly what: 'effect'; readonly key: EffectKey }
  | { readonly what: 'catchUp' }
  | null;

/** Whoever told a fact, and why. */
interface Told {
  readonly actor: string;
  readonly comment?: string;
}

/** The half of a run's state that messages change; `run-state.ts` is the other. */
export class ToldRun {
  readonly data: RunData;
  readonly workflowId: WorkflowId;
  running: Running = null;
  protected readonly patched: Patched;

  constructor(data: RunData, workflowId: WorkflowId, patched: Patched = () => true) {
    this.data = data;
    this.workflowId = workflowId;
    this.patched = patched;
  }

  // ── Facts ─────────────────────────────────────────────────────────────────────────────────────────────────────

  eventArrived(event: EventRef, now: number): void {
    const { data } = this;
    if (event.attachment !== undefined && event.attachment !== data.attachment) return;
    const isNew = enqueue(data, event, { reading: this.running?.what === 'catchUp', patched: this.patched });
    if (!isNew) return;
    if (data.end !== null) return this.heardWhileEnding(event);
    if (event.optOut === true)
      return decideEnd(this.data, 'EXITED_ON_INBOUND', 'opted_out', { actor: 'customer', now });
    const isFromThem = isFromCustomer(event.type);
    if (isFromThem) {
      data.heardAtTick = data.ticks;
      cancelEffects(data, 'customer_wrote', ({ effect }) => effect.kind === 'message.send' && effect.proactive);
    }
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
      else if (policy !== 'ignore') this.stop('EXITED_ON_OUTBOUND', fact.cause, fact, now);
      return;
    }
    this.stop('EXITED_ON_OUTBOUND', fact.cause, fact, now);
  }

  /**
   * It goes out again where that may help. Else as a send that is refused for good, learnt late: told to the next tick, and an
   * end where the person cannot be reached.
   */
  undelivered(told: Undelivered, now: number): void {
    const { data } = this;
    const { id, seq, attachment, key, reason, unreachable } = told;
    if (attachment !== data.attachment || !isFirst(data, { id, seq }) || isDealtWith(data, told)) return;
    const resend = resendOf(data, told, now);
    if (resend !== null && this.patched('undelivered-goes-again')) return sendAgain(data, told, resend);
    data.failedEffects.push({ key, kind: 'message.send', reason });
    if (unreachable && data.end === null)
      decideEnd(data, 'REMOVED_BY_SYSTEM', 'unreachable_contact', { actor: 'system', comment: reason, now });
  }

  detached(fact: Detached, now: number): void {
    if (isStale(this.data, fact)) return;
    this.stop('REMOVED_BY_USER', fact.reason ?? 'detached', fact, now);
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
    this.yieldToCustomer();
  }

  /** What is being prepared or thought out right now does not undo it. */
  snooze(request: Snooze): void {
    plan(this.data, request.until, snoozedBy(request.actor));
    this.data.wakeRequestedBy = null;
    if (this.running?.what === 'prepare' || this.running?.what === 'tick') this.running.snoozed = true;
  }

  wakeNow(actor: string): void {
    this.data.wakeRequestedBy = actor;
    this.data.notBefore = null;
  }

  /** The desk hears of it from the run, where it does from nobody else. */
  asked(act: AskedAct['act'], { untold, actor, comment }: Request, now: number): void {
    if (untold !== true || !this.patched('asked-is-told')) return;
    const asked: AskedAct = { act, actor, comment: comment ?? null, at: new Date(now).toISOString() };
    this.data.asked = [...(this.data.asked ?? []), asked].slice(-ASKED_LIMIT);
  }

  // ── Questions ─────────────────────────────────────────────────────────────────────────────────────────────────

  isLive(): boolean {
    return this.data.end === null || this.data.effects.length > 0;
  }

  /** The run's half of the send permit (docs/design/effects.md): yes only for a key among the current unfinished effects of this very attachment. */
  permit({ key, attachment }: SendPermitRequest): SendPermit {
    if (attachment !== this.data.attachment) return { permitted: false, reason: 'other_attachment' };
    if (!this.data.effects.some((effect) => effect.key === key)) return { permitted: false, reason: 'not_current' };
    if (this.data.paused !== null) return { permitted: false, reason: 'paused' };
    return { permitted: true };
  }

  // ── Ending ────────────────────────────────────────────────────────────────────────────────────────────────────

  private stop(status: TerminalStatus, reason: EndReason, { actor, comment }: Told, now: number): void {
    const { data, patched } = this;
    stop(data, { status, reason, actor, ...(comment === undefined ? {} : { comment }), now, patched });
  }

  private heardWhileEnding(event: EventRef): void {
    if (event.optOut === true && this.data.effects.some(({ effect }) => isSend(effect)) && this.patched('ending-hears'))
      cancelEffects(this.data, 'opted_out', ({ effect }) => isSend(effect));
    if (isFromCustomer(event.type)) this.yieldToCustomer();
  }

  /** While an end's effects are being finished, a newer message beats what we still meant to say. Paused stays quiet. */
  protected yieldToCustomer(): void {
    const { data } = this;
    const heard = data.queue.filter(({ type }) => isFromCustomer(type));
    if (data.end === null || data.paused !== null || heard.length === 0) return;
    const isHeard = heard.some((event) => this.wakes(event));
    const overtaken = new Set(overtakenInEnding(data, { isHeard, patched: this.patched }));
    if (overtaken.size > 0 && this.patched('ending-hears'))
      cancelEffects(data, 'customer_wrote', (effect) => overtaken.has(effect));
  }

  // ── Waking ────────────────────────────────────────────────────────────────────────────────────────────────────

  protected wakes(event: EventRef): boolean {
    return this.data.agent !== null && wakesOn(this.data.agent.wakeOn, event.type);
  }

  private mayRethink(): boolean {
    return this.data.agent?.policy.onOvertaken === 'rethink' && this.data.rethinks < RETHINK_LIMIT;
  }
}
