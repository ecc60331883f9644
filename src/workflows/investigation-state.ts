/**
 * Every rule of an investigation's course, over plain data that travels through roll-over: what may be decided by whom,
 * what makes a proposal stale, what is left when an action fails. Without Temporal: `investigation.ts` connects the two.
 */
import { ms } from '../domain/durations.ts';
import type { EffectKey } from '../domain/ids.ts';
import { whyUnacceptable } from '../domain/investigation-rules.ts';
import { COMPENSATIONS, isLive, type InvestigationStatus } from '../domain/investigations.ts';
import { instant } from '../domain/instants.ts';
import type { Action, ActionResult, InvestigationPolicy, Proposal } from '../domain/schemas/investigations.ts';
import { newInvestigationData, type InvestigationData } from './investigation-data.ts';
import { agreementsTo, nextOfDecision, refusalOfDecision, type DecisionStep } from './investigation-decision.ts';
import { afterUndo, NO_ANSWER, summaryOfFailure } from './investigation-failure.ts';
import type { Acted, Proposed, RecordInput, Telling, Undone } from './investigation-types.ts';
import type { Answer, Decide, Refusal } from './investigation-messages.ts';

export { newInvestigationData };

/** Keys remembered: a watcher's effect is tried again within a day, and a day has fewer of them. */
const SEEN_LIMIT = 1_000;
/** A proposal that goes stale this often rests on something that never holds still. */
const REVISION_LIMIT = 20;
/** Times the ERP may say that something changed between the last look and the act, over all actions of one proposal. */
const RECHECK_LIMIT = 10;

export class InvestigationState {
  readonly data: InvestigationData;
  private readonly policy: InvestigationPolicy;

  constructor(data: InvestigationData, policy: InvestigationPolicy) {
    this.data = data;
    this.policy = policy;
  }

  isLive(): boolean {
    return isLive(this.data.status);
  }

  /** Counted once for each key. */
  occurred(key: EffectKey): void {
    const { data } = this;
    if (data.seen.includes(key)) return;
    data.seen.push(key);
    if (data.seen.length > SEEN_LIMIT) data.seen.shift();
    data.occurrences += 1;
    (data.counted ??= []).push(key);
    data.isDirty = true;
  }

  // ── Proposal ──────────────────────────────────────────────────────────────────────────────────────────────────

  /** Of the first look, or of the one before the execution: then what was agreed to before no longer counts. */
  proposed(proposed: Exclude<Proposed, { result: 'holds' }>, now: number): void {
    // Cancelled while it looked: what it found is for nobody.
    if (!this.isLive()) return;
    const { data } = this;
    if (proposed.result === 'dismissed') return this.end('dismissed', proposed.reason, now);
    const { proposal } = proposed;
    if (proposal.revision > REVISION_LIMIT)
      return this.end('failed', `what it rests on changed ${REVISION_LIMIT} times before it could be carried out`, now);
    data.proposal = proposal;
    data.decisions = data.decisions.map((decision) => ({ ...decision, valid: false }));
    data.reminders = 0;
    data.isEscalated = false;
    data.rechecks = 0;
    this.become('proposed', now);
    if (proposal.approvals > 0) return this.tell('investigation.proposed', `${proposal.revision}`, now);
    this.agree({ decision: 'approve', actor: 'policy', person: 'policy', reason: null }, proposal, now);
  }

  /** Null: it may be decided so. */
  refusalOf(decide: Decide, now: number): Refusal | null {
    return refusalOfDecision(this.data, decide, now);
  }

  /** Only what {@link refusalOf} has nothing against. */
  decide(decide: Decide, now: number): void {
    const { proposal } = this.data;
    if (proposal !== null) this.agree(decide, proposal, now);
  }

  private agree(
    { decision, actor, person, reason }: Pick<Decide, 'decision' | 'actor' | 'person' | 'reason'>,
    proposal: Proposal,
    now: number,
  ): void {
    const { data } = this;
    const at = instant(now);
    data.decisions.push({ decision, proposalHash: proposal.hash, actor, person, reason, at, valid: true });
    data.isDirty = true;
    this.tell('investigation.decided', `${data.decisions.length}`, now);
    if (decision === 'reject') return this.end('rejected', reason, now);
    if (agreementsTo(data).length >= proposal.approvals) this.become('approved', now);
  }

  /** What the wait for a decision does next: asked by the loop and by the condition it waits on. */
  nextOfDecision(now: number): DecisionStep {
    return nextOfDecision(this.data, this.policy, now);
  }

  expire(now: number): void {
    this.end('expired', 'nobody decided in time', now);
  }

  /** Reminders that were due while no worker ran are one. */
  remind(now: number): void {
    const { data } = this;
    if (data.proposal === null) return;
    const elapsed = now - Date.parse(data.proposal.proposedAt);
    data.reminders = Math.max(data.reminders + 1, Math.floor(elapsed / ms(this.policy.remindAfter)));
    this.tell('investigation.reminder', `${data.proposal.revision}.${data.reminders}`, now);
  }

  escalate(now: number): void {
    this.data.isEscalated = true;
    this.tell('investigation.escalated', `${this.data.proposal?.revision ?? 0}`, now);
  }

  // ── Execution ─────────────────────────────────────────────────────────────────────────────────────────────────

  /** The last look found what was agreed to. */
  confirmed(now: number): void {
    if (!this.isLive()) return;
    this.become('executing', now);
  }

  /** The ERP saw a change after the last look, and did nothing. */
  slippedIn(now: number): void {
    this.data.rechecks += 1;
    if (this.data.rechecks > RECHECK_LIMIT)
      return this.end('failed', 'what it rests on changed at every try, right before the act; nothing was done', now);
    this.become('approved', now);
  }

  /** The same before a later action. Counts one more look; false: there were as many as there may be. */
  looksOnceMore(): boolean {
    this.data.rechecks += 1;
    return this.data.rechecks <= RECHECK_LIMIT;
  }

  acted(
    action: Action,
    acted: Exclude<Acted, { result: 'stale' }> | { readonly result: 'unknown' },
    now: number,
  ): void {
    const { step, kind } = action;
    const result: ActionResult = {
      ...{ step, kind, state: acted.result, at: instant(now) },
      reference: acted.result === 'done' ? acted.reference : null,
      detail: acted.result === 'unknown' ? NO_ANSWER : acted.detail,
    };
    this.data.results.push(result);
    this.data.isDirty = true;
  }

  /** What has to be undone, in reverse order: what was done, and what may have been. */
  toUndo(): readonly ActionResult[] {
    return this.data.results
      .filter(({ state, kind }) => (state === 'done' || state === 'unknown') && COMPENSATIONS[kind] !== null)
      .reverse();
  }

  undone(step: string, undone: Undone | { readonly result: 'unknown' }, now: number): void {
    const { data } = this;
    data.results = data.results.map((result) => (result.step === step ? afterUndo(result, undone, now) : result));
    data.isDirty = true;
  }

  /** The books are as they were, or exactly this is left. */
  failedAndUndone(now: number): void {
    const { data } = this;
    data.results = data.results.map((result) =>
      result.state === 'done' && COMPENSATIONS[result.kind] === null ? { ...result, state: 'kept' } : result,
    );
    this.end('failed', summaryOfFailure(data.results), now);
  }

  verified(verification: { readonly ok: boolean; readonly note: string }, now: number): void {
    this.data.verification = verification;
    this.end('executed', verification.note, now);
  }

  // ── Questions ─────────────────────────────────────────────────────────────────────────────────────────────────

  asks(action: Extract<Action, { kind: 'suppliers.ask' | 'person.confirm' }>, now: number): void {
    const { step, kind, within } = action;
    this.data.asked = { step, kind, until: instant(now + ms(within)) };
    this.data.answer = null;
    this.tell('investigation.asked', step, now);
  }

  /** Null: it is what the question waits for. */
  refusalOfAnswer({ step, answer }: Answer): string | null {
    const { asked } = this.data;
    if (asked === null || asked.step !== step || this.data.answer !== null)
      return 'nothing of this step waits for an answer';
    const isFitting = (asked.kind === 'suppliers.ask') === (answer.kind === 'offer');
    if (!isFitting) return `${asked.kind} does not take a ${answer.kind}`;
    const why = this.whyNot(answer);
    return why === null ? null : `it is not acceptable, and the step goes on waiting: ${why}`;
  }

  private whyNot(answer: Answer['answer']): string | null {
    if (answer.kind !== 'offer') return null;
    const action = this.data.proposal?.actions.find(({ step }) => step === this.data.asked?.step);
    return action?.kind === 'suppliers.ask' ? whyUnacceptable(answer, action) : 'no supplier is asked';
  }

  /** The first that is acceptable counts. */
  answered(answer: Answer['answer']): void {
    if (this.data.answer !== null || this.whyNot(answer) !== null) return;
    this.data.answer = answer;
  }

  /** The answer that counts, once; null: none came in time. */
  takeAnswer(): Answer['answer'] | null {
    const { answer } = this.data;
    this.data.asked = null;
    this.data.answer = null;
    this.data.isDirty = true;
    return answer;
  }

  // ── Ends ──────────────────────────────────────────────────────────────────────────────────────────────────────

  end(
    status: Exclude<InvestigationStatus, 'investigating' | 'proposed' | 'approved' | 'executing'>,
    reason: string | null,
    now: number,
  ): void {
    if (!this.isLive()) return;
    this.data.reason = reason;
    this.data.endedAt = instant(now);
    this.data.asked = null;
    this.become(status, now);
    this.tell(`investigation.${status}`, 'end', now);
  }

  /** Cancelled in Temporal: before anything was begun it ends there; what is under way is finished, or undone. */
  cancelled(now: number): void {
    if (this.data.status !== 'executing') this.end('rejected', 'cancelled in Temporal', now);
  }

  /** What is to be recorded and told now; nothing: null. */
  takeNews(): Pick<RecordInput, 'version' | 'tell' | 'counted'> | null {
    const { data } = this;
    if (!data.isDirty) return null;
    data.isDirty = false;
    data.version += 1;
    return { version: data.version, tell: data.tell.splice(0), counted: data.counted?.splice(0) ?? [] };
  }

  private become(status: InvestigationStatus, now: number): void {
    this.data.status = status;
    this.data.updatedAt = instant(now);
    this.data.isDirty = true;
  }

  private tell(type: Telling['type'], key: string, now: number): void {
    this.data.tell.push({ type, key, at: instant(now) });
    this.data.isDirty = true;
  }
}
