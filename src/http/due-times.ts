/** Instants that callers ask for: how far ahead they may lie. */
import { MAX_INTERVAL_MS } from '../domain/outcomes.ts';
import { invalidField } from './problems.ts';

const TOO_FAR = `must lie at most ${MAX_INTERVAL_MS / 86_400_000} days ahead`;

/** The instant as it is stored. @throws {ProblemError} `invalid`, naming the field. */
export function ahead(field: string, at: number): string {
  if (at <= Date.now()) throw invalidField(field, 'must lie ahead');
  if (at > Date.now() + MAX_INTERVAL_MS) throw invalidField(field, TOO_FAR);
  return new Date(at).toISOString();
}

/** Undefined: at once, which a past instant means too. @throws {ProblemError} `invalid`, naming the field. */
export function aheadOrAtOnce(field: string, told: string | undefined): string | undefined {
  if (told === undefined || Date.parse(told) <= Date.now()) return undefined;
  return ahead(field, Date.parse(told));
}
