/**
 * How an agent says what it decided. An outcome that breaks a rule cannot be built: {@link reschedule} and
 * {@link finish} throw in the agent's own stack, naming the rule. Due times are held against the clock once, here.
 */
import type { z } from 'zod';
import { InvalidOutcomeError } from '../domain/errors.ts';
import type { Finish, Outcome, Reschedule } from '../domain/outcomes.ts';
import type { EffectInput } from '../domain/schemas/effects.ts';
import type { AGENT_ENDS } from '../domain/statuses.ts';
import {
  checkAgainst,
  checkCancel,
  checkDelay,
  checkDue,
  checkEffects,
  checkEnd,
  checkHandsOffLast,
  checkKept,
  checkKeys,
  checkState,
  checkWords,
} from './outcome-rules.ts';
import { currentTick, type TickContext } from './tick-context.ts';

interface Decided {
  /** The whole new state; checked against the agent's schema. */
  readonly state: object;
  readonly effects?: readonly EffectInput[];
}

/** When to run next: after a while, counted from the moment of the call; at an instant; or when the run is due anyway. */
export type When = { readonly in: string } | { readonly at: string } | { readonly keep: true };

export type RescheduleInput = Decided &
  When & {
    /** In the agent's own words, for people. */
    readonly why?: string;
    /** Keys of `pendingEffects` to take back. */
    readonly cancel?: readonly string[];
  };

/** A status an agent may end with, each with its own reasons. */
export type FinishInput = Decided & { readonly comment?: string } & {
    [Status in keyof typeof AGENT_ENDS]: {
      readonly status: Status;
      readonly reason: (typeof AGENT_ENDS)[Status][number];
    };
  }[keyof typeof AGENT_ENDS];

const OF_RESCHEDULE = ['kind', 'nextRunAt', 'state', 'effects', 'why', 'cancel'] as const;
const OF_FINISH = ['kind', 'status', 'reason', 'state', 'effects', 'comment'] as const;
const WHEN = ['in', 'at', 'keep'] as const;

/** What was built here, with the schema its state was held against: not judged twice, and never by a later clock. */
const built = new WeakMap<object, z.ZodType | undefined>();

/**
 * Goes on: new state, perhaps effects, and when to wake next.
 * @throws {InvalidOutcomeError}
 */
export function reschedule(input: RescheduleInput): Reschedule {
  refuseBoth(input, ['status', 'reason', 'comment']);
  checkKeys(input, [...WHEN, 'state', 'effects', 'why', 'cancel']);
  const { state, effects, why, cancel, ...when } = input;
  const context = currentTick();
  return remember(rescheduled({ nextRunAt: dueOf(when, context), state, effects, why, cancel }, context), context);
}

/**
 * Ends the run, once its effects are done.
 * @throws {InvalidOutcomeError}
 */
export function finish(input: FinishInput): Finish {
  refuseBoth(input, [...WHEN, 'nextRunAt', 'cancel', 'why']);
  const context = currentTick();
  return remember(finished(input, context), context);
}

/**
 * The boundary: what a tick returned, whoever built it. Outcomes of the builders pass; a plain object in the form of an
 * {@link Outcome} (`nextRunAt: null` keeps the due time) is held against every rule now.
 * @throws {InvalidOutcomeError}
 */
export function checkOutcome(raw: unknown, context: TickContext): Outcome {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    throw new InvalidOutcomeError({
      rule: 'not_an_outcome',
      message: 'a tick must return reschedule({…}) or finish({…})',
    });
  if (built.has(raw)) {
    const outcome = raw as Outcome;
    if (built.get(raw) !== context.state) checkAgainst(context.state, outcome.state);
    if (outcome.kind === 'reschedule') checkGoesOn(outcome, context);
    return outcome;
  }
  const given = raw as Readonly<Record<string, unknown>>;
  const kind =
    given['kind'] ??
    ('status' in given && !('nextRunAt' in given) ? 'finish' : 'nextRunAt' in given ? 'reschedule' : undefined);
  if (kind === 'reschedule') {
    refuseBoth(given, ['status', 'reason', 'comment']);
    const { nextRunAt } = given;
    if (nextRunAt === undefined) throw missing();
    const due = nextRunAt === null ? checkKept(context.dueAt, context.begunAt) : checkDue(nextRunAt, context.clock());
    return remember(rescheduled({ ...given, nextRunAt: due }, context), context);
  }
  if (kind === 'finish') {
    refuseBoth(given, ['nextRunAt', 'cancel', 'why']);
    return remember(finished(given, context), context);
  }
  throw new InvalidOutcomeError({
    rule: 'not_an_outcome',
    path: 'kind',
    message: 'a tick must return reschedule({…}) or finish({…})',
  });
}

type Loose<Key extends string> = { readonly [key in Key]?: unknown };

function rescheduled(
  of: Loose<(typeof OF_RESCHEDULE)[number]> & { readonly nextRunAt: string | null },
  context: TickContext | undefined,
): Reschedule {
  checkKeys(of, OF_RESCHEDULE);
  const why = checkWords(of.why, 'why');
  const outcome: Reschedule = {
    kind: 'reschedule',
    nextRunAt: of.nextRunAt,
    ...(why === undefined ? {} : { why }),
    state: checkState(of.state, context?.state),
    effects: checkEffects(of.effects),
    cancel: checkCancel(of.cancel),
  };
  if (context !== undefined) checkGoesOn(outcome, context);
  return outcome;
}

function checkGoesOn({ effects }: Reschedule, { ignoresHumans }: TickContext): void {
  if (!ignoresHumans) checkHandsOffLast(effects);
}

function finished(of: Loose<(typeof OF_FINISH)[number]>, context: TickContext | undefined): Finish {
  checkKeys(of, OF_FINISH);
  const comment = checkWords(of.comment, 'comment');
  return {
    kind: 'finish',
    ...checkEnd(of.status, of.reason),
    ...(comment === undefined ? {} : { comment }),
    state: checkState(of.state, context?.state),
    effects: checkEffects(of.effects),
  };
}

function dueOf(when: Loose<(typeof WHEN)[number]>, context: TickContext | undefined): string | null {
  const now = (context?.clock ?? Date.now)();
  if (WHEN.filter((way) => when[way] !== undefined).length !== 1) throw missing();
  if (when.in !== undefined) return checkDelay(when.in, now);
  if (when.at !== undefined) return checkDue(when.at, now);
  if (when.keep !== true) throw missing();
  return checkKept(context?.dueAt, context?.begunAt ?? now);
}

function missing(): InvalidOutcomeError {
  return new InvalidOutcomeError({
    rule: 'next_run_missing',
    path: 'nextRunAt',
    message: 'say when to run next, by exactly one of in ("6h"), at (an instant) and keep (true)',
  });
}

function refuseBoth(given: object, others: readonly string[]): void {
  const other = others.find((key) => key in given);
  if (other === undefined) return;
  throw new InvalidOutcomeError({
    rule: 'both_outcomes',
    path: other,
    message: `"${other}" belongs to the other outcome: a tick either reschedules or finishes`,
  });
}

function remember<Built extends Outcome>(outcome: Built, context: TickContext | undefined): Built {
  built.set(outcome, context?.state);
  return freeze(outcome);
}

/** What has been checked stays what it was. */
function freeze<Value extends object>(value: Value): Value {
  for (const part of Object.values(value) as unknown[]) if (typeof part === 'object' && part !== null) freeze(part);
  return Object.freeze(value);
}
