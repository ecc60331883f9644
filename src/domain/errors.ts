/** Errors that cross a border of the system. Each carries its data; none carries a sentence meant for another layer. */

/** An identifier outside its grammar. `value` is cut to 120 characters: it came from outside. */
export class InvalidIdError extends Error {
  override readonly name = 'InvalidIdError';
  readonly field: string;
  readonly value: string;
  readonly rule: string;

  constructor({ field, value, rule }: { field: string; value: string; rule: string }) {
    super(`${field} must be ${rule}`);
    this.field = field;
    this.value = value.slice(0, 120);
    this.rule = rule;
  }
}

/** The rules of an outcome, one word each: what {@link InvalidOutcomeError.rule} can be. */
export const OUTCOME_RULES = [
  'next_run_missing',
  'next_run_not_absolute',
  'next_run_in_past',
  'next_run_too_near',
  'next_run_too_far',
  'status_missing',
  'status_not_terminal',
  'reason_not_allowed',
  'both_outcomes',
  'not_an_outcome',
  'state_invalid',
  'state_too_large',
  'effect_invalid',
  'too_many_effects',
  'hand_off_goes_on',
] as const;
export type OutcomeRule = (typeof OUTCOME_RULES)[number];

/** An agent tried to build, or returned, an outcome that breaks a rule. Thrown in the agent's own stack. */
export class InvalidOutcomeError extends Error {
  override readonly name = 'InvalidOutcomeError';
  readonly rule: OutcomeRule;
  readonly path: string;

  constructor({ rule, message, path = '' }: { rule: OutcomeRule; message: string; path?: string }) {
    super(`${rule}: ${message}`);
    this.rule = rule;
    this.path = path;
  }
}

/**
 * Somebody we depend on cannot serve us now (429, 5xx, time-out, connection lost). Retried inside the wake-up and
 * never counted against the agent. `retryAfterMs` is the provider's own wish, where it told one.
 */
export class ProviderOutageError extends Error {
  override readonly name = 'ProviderOutageError';
  readonly provider: string;
  readonly retryAfterMs: number | undefined;

  constructor({
    provider,
    message,
    retryAfterMs,
    cause,
  }: {
    provider: string;
    message: string;
    retryAfterMs?: number;
    cause?: unknown;
  }) {
    super(`${provider}: ${message}`, { cause });
    this.provider = provider;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A value from outside that fits no schema; every problem at once, each with its path. */
export class InvalidInputError extends Error {
  override readonly name = 'InvalidInputError';
  readonly problems: readonly InputProblem[];

  constructor(problems: readonly InputProblem[]) {
    super(problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; '));
    this.problems = problems;
  }
}

export interface InputProblem {
  /** Dotted path of the field, e.g. `config.questions.0.text`. */
  readonly path: string;
  readonly message: string;
}
