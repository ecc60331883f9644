/** What a run does next: one question with one answer, asked by the loop and by the condition it waits on. */
import { ms } from '../domain/durations.ts';
import { ENDING_LIMIT_MS, type RunData, type RunEffect } from './run-data.ts';
import { isSend, nextEffect } from './run-effects.ts';

export type WakeReason = 'due' | 'event' | 'operator';

export type Step =
  | { readonly do: 'tick'; readonly why: WakeReason }
  | { readonly do: 'perform'; readonly effect: RunEffect }
  /** The queue overflowed and has been emptied: read on in the desk. */
  | { readonly do: 'catchUp' }
  | { readonly do: 'resume' }
  | { readonly do: 'finish' }
  | { readonly do: 'wait'; readonly until: number };

/** Times are workflow time, ms. */
export function nextStep(data: RunData, now: number): Step {
  if (data.end !== null) return nextOfEnding(data, now);
  if (data.paused !== null) return nextOfPause(data.paused.until, now);
  if (data.queue.length === 0 && data.overflow !== null) return { do: 'catchUp' };
  if (data.notBefore !== null && data.notBefore > now) return { do: 'wait', until: data.notBefore };
  const effect = nextEffect(data.effects, now);
  if (effect.due !== undefined) return { do: 'perform', effect: effect.due };
  const wake = nextWake(data, now);
  return wake.at <= now ? { do: 'tick', why: wake.why } : { do: 'wait', until: Math.min(wake.at, effect.at) };
}

/** An end's own effects are finished first, for a day at most; then each is tried that is not too late. */
function nextOfEnding(data: RunData, now: number): Step {
  const { effects, paused } = data;
  const deadline = endingUntil(data);
  if (effects.length === 0 || (now >= deadline && effects.some((effect) => isTooLate(data, effect))))
    return { do: 'finish' };
  if (paused !== null) {
    const step = nextOfPause(paused.until, now);
    return step.do === 'wait' ? { do: 'wait', until: Math.min(deadline, step.until) } : step;
  }
  const effect = nextEffect(effects, now);
  return effect.due === undefined
    ? { do: 'wait', until: Math.min(deadline, effect.at) }
    : { do: 'perform', effect: effect.due };
}

/** Until when (ms) its own effects may keep a decided end from being final. */
export function endingUntil({ end }: RunData): number {
  return end === null ? Infinity : Date.parse(end.at) + ENDING_LIMIT_MS;
}

/** After a day of `ending`: whatever is held back, and any message. What only stood behind those is still done. */
export function isTooLate({ paused }: RunData, { effect, state }: RunEffect): boolean {
  return paused !== null || state === 'parked' || isSend(effect);
}

function nextOfPause(until: string | null, now: number): Step {
  const end = until === null ? Infinity : Date.parse(until);
  return end <= now ? { do: 'resume' } : { do: 'wait', until: end };
}

function nextWake(data: RunData, now: number): { at: number; why: WakeReason } {
  if (data.wakeRequestedBy !== null) return { at: now, why: 'operator' };
  if (data.burst === null || data.agent === null) return { at: Date.parse(data.nextRunAt), why: 'due' };
  // A due time that falls into a burst waits for its end: one wake-up hears it all.
  const { quiet, max } = data.agent.policy.debounce;
  const at = Math.min(data.burst.lastAt + ms(quiet), data.burst.firstAt + ms(max));
  return { at, why: Date.parse(data.nextRunAt) <= at ? 'due' : 'event' };
}
