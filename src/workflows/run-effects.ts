/** The queue of decided and unfinished effects: pure functions over the run's data. */
import { ARRIVED } from '../domain/deliveries.ts';
import { effectKey, type EffectKey, parseEffectKey, type WorkflowId } from '../domain/ids.ts';
import { ms } from '../domain/durations.ts';
import { instant } from '../domain/instants.ts';
import type { Effect } from '../domain/schemas/effects.ts';
import type { Policy } from '../domain/schemas/policy.ts';
import type { PendingEffect } from '../domain/schemas/runs.ts';
import type { Performed } from './activity-types.ts';
import type { Patched } from './run-changes.ts';
import { DEALT_WITH_LIMIT, EFFECTS_LIMIT, HOLD_BACK_MS, type RunData, type RunEffect } from './run-data.ts';

/** What a customer must not wait for because a message before it does not get through. */
const GOES_AHEAD: ReadonlySet<Effect['kind']> = new Set(['conversation.handOff', 'conversation.close']);

/** First pause between two performs of an effect whose retries ran out, doubling up to an hour. */
const RETRY_BASE_MS = 60_000;
const RETRY_CAP_MS = 3_600_000;

/**
 * The effect to perform next, or the instant (ms) at which one falls due. Effects of one tick run in order: a parked
 * one holds back those behind it, never those of other ticks. A message never holds back a hand-off for long, but what goes
 * ahead waits for what went ahead before it.
 */
export function nextEffect(effects: readonly RunEffect[], now: number): { due: RunEffect | undefined; at: number } {
  let at = Infinity;
  const heads = new Map<number, RunEffect>();
  for (const effect of effects) {
    const head = heads.get(effect.tick);
    if (head !== undefined && (effect.goesAhead === undefined || !isHeldBack(head))) continue;
    if (head === undefined || effect.goesAhead === 'in_turn') heads.set(effect.tick, effect);
    const dueAt = effect.state === 'parked' ? parkedUntil(effect) : now;
    if (dueAt <= now) return { due: effect, at: now };
    at = Math.min(at, dueAt);
  }
  return { due: undefined, at };
}

/** Takes every effect that `which` matches off the run; the desk is told with the next activity. */
export function cancelEffects(data: RunData, reason: string, which: (effect: RunEffect) => boolean): void {
  for (const effect of data.effects.filter(which)) {
    data.cancelled.push({ key: effect.key, reason });
    if (isSend(effect.effect)) dealWith(data, effect.key);
  }
  data.effects = data.effects.filter((effect) => !which(effect));
}

/** Takes what was not done in time off the run: people are told, and the next tick. */
export function giveUpEffects(data: RunData, reason: string, which: (effect: RunEffect) => boolean): void {
  for (const { key, effect } of data.effects.filter(which)) {
    data.cancelled.push({ key, reason, failed: true, effect });
    data.failedEffects.push({ key, kind: effect.kind, reason });
    if (isSend(effect)) dealWith(data, key);
  }
  data.effects = data.effects.filter((effect) => !which(effect));
}

/** Whatever is reported of this message from now on sends it no more. */
export function dealWith(data: RunData, key: EffectKey): void {
  data.dealtWith = [...(data.dealtWith ?? []), nameOfSend(key)].slice(-DEALT_WITH_LIMIT);
}

/** Short, as a run remembers it. */
export function nameOfSend(key: EffectKey): string {
  const { tick, n, again } = parseEffectKey(key);
  return `${tick}:${n}.${again}`;
}

/** Books what a perform came to. Unknown keys are of effects that were taken back meanwhile. */
export function settleEffect(data: RunData, key: EffectKey, performed: Performed): void {
  const effect = data.effects.find((candidate) => candidate.key === key);
  if (effect === undefined) return;
  if (performed.result === 'parked') {
    effect.state = 'parked';
    effect.dueAt = performed.dueAt;
    effect.reason = performed.reason;
    delete effect.moves;
    if (performed.moves !== undefined) effect.moves = performed.moves;
    effect.attempts += 1;
    return;
  }
  const passed = new Set(passedBy(effect, data.effects));
  data.effects = data.effects.filter((candidate) => candidate.key !== key);
  if (performed.result === 'done') {
    if (isNewSend(effect)) data.messagesSent += 1;
    giveUpEffects(data, 'went_ahead', (other) => passed.has(other));
  } else if (performed.reason !== ARRIVED) {
    data.failedEffects.push({ key, kind: effect.effect.kind, reason: performed.reason });
    if (isSend(effect.effect)) dealWith(data, key);
  }
}

/** The messages that this one goes ahead of: said after it they would make no sense. */
function passedBy(effect: RunEffect, effects: readonly RunEffect[]): readonly RunEffect[] {
  if (effect.goesAhead === undefined) return [];
  const until = effect.goesAhead === 'in_turn' ? effects.indexOf(effect) : effects.length;
  return effects.slice(0, until).filter((other) => other.tick === effect.tick && isSend(other.effect));
}

/** Back in line: performed as soon as its turn comes. */
export function unpark(effect: RunEffect): void {
  Object.assign(effect, { state: 'waiting', dueAt: null, reason: null });
  delete effect.moves;
}

/** Does it count towards `policy.maxMessages`? One that goes out again has been counted. */
export function isNewSend({ effect, key }: RunEffect): boolean {
  return isSend(effect) && parseEffectKey(key).again === 0;
}

export function isSend({ kind }: Effect): boolean {
  return kind === 'message.send';
}

/** What to make of a perform whose retries ran out: parked with growing gaps, failed once the policy's time is over. */
export function afterExhaustedRetries(effect: RunEffect, policy: Policy, now: number): Performed {
  if (now - Date.parse(effect.since) >= ms(policy.effectRetry))
    return { result: 'failed', reason: 'retries_exhausted' };
  const pause = Math.min(RETRY_BASE_MS * 2 ** Math.min(effect.attempts, 10), RETRY_CAP_MS);
  return { result: 'parked', reason: 'retrying', dueAt: new Date(now + pause).toISOString() };
}

export function pendingEffects(data: RunData): PendingEffect[] {
  return data.effects.map(({ key, effect, state, reason, dueAt, moves, attempts, since }) => ({
    ...{ key, effect, state, reason, dueAt, attempts, since },
    ...(moves === undefined ? {} : { moves: [...moves] }),
  }));
}

/** By something else than the doubt whether it has gone out, which has an end of its own (`activities/perform.ts`). */
export function isHeldBackMessage({ effect, state, reason }: RunEffect): boolean {
  return isSend(effect) && state === 'parked' && reason !== 'ambiguous';
}

/** For longer than anybody is to wait for it. */
export function isHeldBack(effect: RunEffect): boolean {
  return isHeldBackMessage(effect) && parkedUntil(effect) > Date.parse(effect.since) + HOLD_BACK_MS;
}

function parkedUntil(effect: RunEffect): number {
  return effect.dueAt === null ? Infinity : Date.parse(effect.dueAt);
}

/**
 * Takes a tick's effects on, each with its key; what is over the limit has failed, and the next tick is told.
 * @param of.patched asked only of a hand-off or a close behind a message; once more where one of those is behind it.
 */
export function addEffects(
  data: RunData,
  effects: readonly Effect[],
  { workflowId, patched, now }: { readonly workflowId: WorkflowId; readonly patched: Patched; readonly now: number },
): void {
  const firstSend = effects.findIndex(isSend);
  const last = effects.findLastIndex((effect) => isSend(effect) || GOES_AHEAD.has(effect.kind));
  effects.forEach((effect, n) => {
    const key = effectKey({ workflowId, attachment: data.attachment, tick: data.ticks, n });
    if (data.effects.length >= EFFECTS_LIMIT) {
      data.failedEffects.push({ key, kind: effect.kind, reason: 'too_many_pending' });
      return;
    }
    const since = instant(now);
    const isBehind = GOES_AHEAD.has(effect.kind) && firstSend !== -1 && firstSend < n;
    const goesAhead = isBehind && patched('hand-off-goes-ahead');
    data.effects.push({
      key,
      tick: data.ticks,
      effect,
      since,
      state: 'waiting',
      dueAt: null,
      reason: null,
      attempts: 0,
      ...(goesAhead ? { goesAhead: n < last && patched('goes-ahead-in-turn') ? 'in_turn' : true } : {}),
    });
  });
}
