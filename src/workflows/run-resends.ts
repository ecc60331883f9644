/** A message that its provider took, could not bring for a trouble of its own, and that goes out again: as an effect with a key of its own. */
import { ms } from '../domain/durations.ts';
import { effectKey, parseEffectKey } from '../domain/ids.ts';
import { instant } from '../domain/instants.ts';
import type { Undelivered } from './messages.ts';
import { EFFECTS_LIMIT, type RunData, type RunEffect } from './run-data.ts';
import { dealWith, nameOfSend } from './run-effects.ts';

/** A message goes out so often in all: what lasts longer is no passing trouble. */
const MOST_SENDS = 3;
/** Before it goes out again, growing each time: Meta's longest passing trouble with a name of its own (131057) is over in a minute. */
const FIRST_WAIT_MS = 60_000;
const WAIT_FACTOR = 4;

/** Is nothing to be made of this report? Its message was given another send already, or taken back, or told as failed. */
export function isDealtWith(data: RunData, { key, unreachable }: Undelivered): boolean {
  return !unreachable && data.dealtWith?.includes(nameOfSend(key)) === true;
}

/**
 * The effect by which it may go out again; null: it may not. A run that ends, or is paused, sends nothing again, nor what its
 * customer has overtaken, nor what has been under way for longer than effects are tried.
 */
export function resendOf(data: RunData, { key, again }: Undelivered, now: number): RunEffect | null {
  const { agent, end, paused, effects } = data;
  if (again === undefined || agent === null || end !== null || paused !== null) return null;
  const of = parseEffectKey(key);
  const { effect, sentAt } = again;
  const isOvertaken = effect.kind === 'message.send' && effect.proactive && (data.heardAtTick ?? -1) >= of.tick;
  const isTooLate = now - Date.parse(sentAt) >= ms(agent.policy.effectRetry);
  if (isOvertaken || isTooLate || of.again + 1 >= MOST_SENDS || effects.length >= EFFECTS_LIMIT) return null;
  return {
    key: effectKey({ ...of, again: of.again + 1 }),
    tick: of.tick,
    effect,
    since: instant(now),
    state: 'parked',
    dueAt: instant(now + FIRST_WAIT_MS * WAIT_FACTOR ** of.again),
    reason: 'undelivered',
    attempts: 0,
  };
}

/** In its old place: before what its outcome says after it, and so behind itself, where its own perform is not over. */
export function sendAgain(data: RunData, { key }: Undelivered, resend: RunEffect): void {
  const { tick, n } = parseEffectKey(resend.key);
  const next = data.effects.findIndex((effect) => effect.tick === tick && parseEffectKey(effect.key).n > n);
  data.effects.splice(next >= 0 ? next : data.effects.length, 0, resend);
  dealWith(data, key);
}
