/** The rules of an outcome (`OUTCOME_RULES`), one function each; every one throws {@link InvalidOutcomeError} in its caller's stack. */
import type { z } from 'zod';
import { durationMs, DURATION_RULE } from '../domain/durations.ts';
import { InvalidOutcomeError } from '../domain/errors.ts';
import { parseEffectKey, type EffectKey } from '../domain/ids.ts';
import { instant } from '../domain/instants.ts';
import type { JsonObject } from '../domain/json.ts';
import { MAX_EFFECTS, MAX_INTERVAL_MS, MAX_STATE_BYTES, MIN_INTERVAL_MS, type Finish } from '../domain/outcomes.ts';
import { notPlainJson } from '../domain/plain-json.ts';
import { Effect, type MessageSend } from '../domain/schemas/effects.ts';
import { problemsOf, problemText } from '../domain/schemas/issues.ts';
import { Instant } from '../domain/schemas/values.ts';
import { AGENT_ENDS, TERMINAL_STATUSES } from '../domain/statuses.ts';

/** Words for people, not data: longer ones are cut. */
const MAX_WORDS = 500;

/** An absolute instant, between {@link MIN_INTERVAL_MS} and {@link MAX_INTERVAL_MS} from `now`; normalised to milliseconds. */
export function checkDue(at: unknown, now: number): string {
  const due = typeof at === 'string' && Instant.safeParse(at).success ? Date.parse(at) : Number.NaN;
  if (Number.isNaN(due))
    throw new InvalidOutcomeError({
      rule: 'next_run_not_absolute',
      path: 'nextRunAt',
      message: 'the next run must be an ISO-8601 instant in UTC, such as 2026-11-30T12:00:00Z',
    });
  const wait = due - now;
  if (wait < 0)
    throw new InvalidOutcomeError({
      rule: 'next_run_in_past',
      path: 'nextRunAt',
      message: `${String(at)} has passed; it is ${instant(now)}`,
    });
  if (wait < MIN_INTERVAL_MS)
    throw new InvalidOutcomeError({
      rule: 'next_run_too_near',
      path: 'nextRunAt',
      message: `the next run must be at least ${MIN_INTERVAL_MS} ms away, not ${wait}`,
    });
  if (wait > MAX_INTERVAL_MS)
    throw new InvalidOutcomeError({
      rule: 'next_run_too_far',
      path: 'nextRunAt',
      message: `the next run must be at most 400 days away, not ${Math.ceil(wait / 86_400_000)}`,
    });
  return instant(due);
}

/** Counted from `now`. */
export function checkDelay(delay: unknown, now: number): string {
  const wait = typeof delay === 'string' ? durationMs(delay) : undefined;
  if (wait === undefined)
    throw new InvalidOutcomeError({
      rule: 'next_run_not_absolute',
      path: 'in',
      message: `"in" must be ${DURATION_RULE}`,
    });
  if (wait > MAX_INTERVAL_MS)
    throw new InvalidOutcomeError({
      rule: 'next_run_too_far',
      path: 'in',
      message: `the next run must be at most 400 days away, not ${Math.ceil(wait / 86_400_000)}`,
    });
  return checkDue(instant(now + wait), now);
}

/** The due time that is kept must be ahead: a run that keeps one which has passed would wake again at once, for ever. */
export function checkKept(dueAt: string | undefined, now: number): null {
  if (dueAt !== undefined && Date.parse(dueAt) <= now)
    throw new InvalidOutcomeError({
      rule: 'next_run_in_past',
      path: 'keep',
      message: `the due time ${dueAt} has passed: say when to run next`,
    });
  return null;
}

/** A terminal status an agent may choose (`AGENT_ENDS`), with a reason of that status. */
export function checkEnd(status: unknown, reason: unknown): Pick<Finish, 'status' | 'reason'> {
  const choices = Object.entries(AGENT_ENDS)
    .map(([name, reasons]) => `${name} (${reasons.join(', ')})`)
    .join(' or ');
  if (status === undefined || status === null || status === '')
    throw new InvalidOutcomeError({
      rule: 'status_missing',
      path: 'status',
      message: `an end needs a status: ${choices}`,
    });
  if (!TERMINAL_STATUSES.some((terminal) => terminal === status))
    throw new InvalidOutcomeError({
      rule: 'status_not_terminal',
      path: 'status',
      message: `${shown(status)} is no status a run can end with: ${choices}`,
    });
  const allowed = Object.entries(AGENT_ENDS)
    .find(([name]) => name === status)?.[1]
    .find((each) => each === reason);
  if (allowed === undefined)
    throw new InvalidOutcomeError({
      rule: 'reason_not_allowed',
      path: 'reason',
      message: `an agent may not end as ${shown(status)} with reason ${shown(reason)}: ${choices}`,
    });
  return { status: status as Finish['status'], reason: allowed };
}

/** Plain JSON, small, and what `schema` accepts. A copy, so that nothing the agent does later changes it. */
export function checkState(state: unknown, schema: z.ZodType | undefined): JsonObject {
  if (typeof state !== 'object' || state === null || Array.isArray(state))
    throw new InvalidOutcomeError({ rule: 'state_invalid', path: 'state', message: 'state must be an object' });
  const bent = notPlainJson(state);
  if (bent !== null) {
    const path = ['state', bent.path].filter((part) => part !== '').join('.');
    throw new InvalidOutcomeError({
      rule: 'state_invalid',
      path,
      message: `${path} must be plain JSON, not ${bent.what}`,
    });
  }
  const json = JSON.stringify(state);
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_STATE_BYTES)
    throw new InvalidOutcomeError({
      rule: 'state_too_large',
      path: 'state',
      message: `state takes ${bytes} bytes as JSON; at most ${MAX_STATE_BYTES}. Keep transcripts in the desk`,
    });
  const copy = JSON.parse(json) as JsonObject;
  if (schema !== undefined) checkAgainst(schema, copy);
  return copy;
}

/** @throws {InvalidOutcomeError} `state_invalid`, naming the field. */
export function checkAgainst(schema: z.ZodType, state: JsonObject): void {
  const { error } = schema.safeParse(state);
  const [problem] = error === undefined ? [] : problemsOf(error, 'state');
  if (problem === undefined) return;
  throw new InvalidOutcomeError({ rule: 'state_invalid', path: problem.path, message: problemText(problem) });
}

/** Known kinds in their own form, defaults filled in; few and small; the same words once. */
export function checkEffects(effects: unknown): readonly Effect[] {
  if (effects === undefined) return [];
  if (!Array.isArray(effects))
    throw new InvalidOutcomeError({ rule: 'effect_invalid', path: 'effects', message: 'effects must be an array' });
  if (effects.length > MAX_EFFECTS)
    throw new InvalidOutcomeError({
      rule: 'too_many_effects',
      path: 'effects',
      message: `${effects.length} effects; at most ${MAX_EFFECTS} in one outcome`,
    });
  const checked = effects.map((effect, n) => checkEffect(effect, `effects.${n}`));
  const bytes = Buffer.byteLength(JSON.stringify(checked));
  if (bytes > MAX_STATE_BYTES)
    throw new InvalidOutcomeError({
      rule: 'too_many_effects',
      path: 'effects',
      message: `effects take ${bytes} bytes as JSON; at most ${MAX_STATE_BYTES}`,
    });
  return saidOnce(checked);
}

/** A hand-off gives the conversation to people: an agent that woke again would talk over them. */
export function checkHandsOffLast(effects: readonly Effect[]): void {
  const at = effects.findIndex(({ kind }) => kind === 'conversation.handOff');
  if (at === -1) return;
  throw new InvalidOutcomeError({
    rule: 'hand_off_goes_on',
    path: `effects.${at}`,
    message:
      'a hand-off gives the conversation to people: finish with it (COMPLETED, handed_off), or set onHumanMessage to ignore in the agent’s policy',
  });
}

/**
 * Of messages with the same words in one outcome the first stays: a hand-over's words that are the reply's as well are said
 * once. No fault of the agent's, which would leave the customer without any. An answer among them makes it an answer.
 */
function saidOnce(effects: readonly Effect[]): readonly Effect[] {
  const answers = new Set(effects.flatMap((effect) => (isSend(effect) && !effect.proactive ? [wordsOf(effect)] : [])));
  const said = new Set<string>();
  return effects.flatMap((effect): Effect[] => {
    if (!isSend(effect)) return [effect];
    const words = wordsOf(effect);
    if (said.has(words)) return [];
    said.add(words);
    return [{ ...effect, proactive: !answers.has(words) }];
  });
}

function isSend(effect: Effect): effect is MessageSend {
  return effect.kind === 'message.send';
}

/** White space is no difference that a customer sees. */
function wordsOf({ text, template }: MessageSend): string {
  return JSON.stringify([text?.trim().replace(/\s+/g, ' '), template]);
}

/** @throws {InvalidOutcomeError} `effect_invalid`, naming the field. */
export function checkEffect(effect: unknown, path: string): Effect {
  const parsed = Effect.safeParse(effect);
  if (parsed.success) return parsed.data;
  const [problem] = problemsOf(parsed.error, path);
  throw new InvalidOutcomeError({
    rule: 'effect_invalid',
    path: problem?.path ?? path,
    message: problem === undefined ? 'unknown effect' : problemText(problem),
  });
}

export function checkCancel(cancel: unknown): readonly EffectKey[] {
  if (cancel === undefined) return [];
  const keys = Array.isArray(cancel) ? cancel : [cancel];
  return keys.map((key: unknown, n) => {
    if (typeof key !== 'string' || !isEffectKey(key))
      throw new InvalidOutcomeError({
        rule: 'effect_invalid',
        path: `cancel.${n}`,
        message: `cancel.${n} must be the key of a pending effect`,
      });
    return key as EffectKey;
  });
}

export function checkWords(words: unknown, path: string): string | undefined {
  if (words === undefined) return undefined;
  if (typeof words !== 'string')
    throw new InvalidOutcomeError({ rule: 'not_an_outcome', path, message: `${path} must be text` });
  return words.slice(0, MAX_WORDS);
}

/** A misspelt `effect` must not be a message that silently never goes out. */
export function checkKeys(outcome: object, known: readonly string[]): void {
  const stranger = Object.keys(outcome).find((key) => !known.includes(key));
  if (stranger !== undefined)
    throw new InvalidOutcomeError({
      rule: 'not_an_outcome',
      path: stranger.slice(0, 60),
      message: `"${stranger.slice(0, 60)}" is not known here: ${known.join(', ')}`,
    });
}

function isEffectKey(key: string): boolean {
  try {
    return Number.isSafeInteger(parseEffectKey(key as EffectKey).n);
  } catch {
    return false;
  }
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `"${value.slice(0, 40)}"` : value === undefined ? 'none' : typeof value;
}
