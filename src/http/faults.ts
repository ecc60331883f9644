/** What went wrong below, in the API's own words. Everything without a row here is a defect of ours. */
import { z } from 'zod';
import { AttachmentMismatchError, NotAttachedError, NoWorkerError, TemporalUnavailableError } from '../client.ts';
import { InvalidIdError, InvalidInputError } from '../domain/errors.ts';
import { runName } from '../domain/ids.ts';
import { problemsOf, problemText } from '../domain/schemas/issues.ts';
import { invalidField, ProblemError } from './problems.ts';

/** Long enough for a deploy to be over, short enough that nobody gives up. */
const RETRY_AFTER_SECONDS = 5;

/**
 * SQLSTATEs of a server that cannot serve: connection (08), resources (53), shut down (57P), closed for maintenance (55000),
 * only reading, as a replica does in the middle of a fail-over (25006).
 */
const SQLSTATE_OUTAGE = /^(?:08...|25006|53...|55000|57P..)$/;
const OUTAGE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
]);

/** The problem that a known fault is, or undefined for an unknown one. */
export function knownProblem(error: unknown): ProblemError | undefined {
  if (error instanceof ProblemError) return error;
  if (error instanceof InvalidIdError) return invalidField(error.field, `must be ${error.rule}`);
  if (error instanceof InvalidInputError) return new ProblemError('invalid', error.message, { errors: error.problems });
  if (error instanceof z.ZodError) return invalidInput(error);
  if (error instanceof NotAttachedError) return new ProblemError('run_not_found', error.message);
  if (error instanceof AttachmentMismatchError) return new ProblemError('attachment_mismatch', error.message);
  if (error instanceof NoWorkerError)
    return new ProblemError(
      'no_worker',
      `no worker answered for ${runName(error.run)}; start one (attache worker) and try again`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: error },
    );
  if (error instanceof TemporalUnavailableError)
    return new ProblemError(
      'temporal_unreachable',
      error.refusal === null
        ? 'Temporal does not answer; check TEMPORAL_ADDRESS and that it runs (attache doctor)'
        : `${error.message}; attache doctor says what to do`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: error },
    );
  if (isDatabaseOutage(error))
    return new ProblemError(
      'database_unreachable',
      'the database does not answer; check DATABASE_URL and that it runs (attache doctor)',
      { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: error },
    );
  return undefined;
}

/** @param prefix what the schema was applied to, e.g. `config`. */
export function invalidInput(
  error: z.ZodError,
  prefix = '',
  code: 'invalid' | 'invalid_config' = 'invalid',
): ProblemError {
  const errors = problemsOf(error, prefix);
  return new ProblemError(code, errors.slice(0, 3).map(problemText).join('; '), { errors: errors.slice(0, 50) });
}

export function isDatabaseOutage(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const code = 'code' in at && typeof at.code === 'string' ? at.code : '';
    if (OUTAGE_CODES.has(code) || SQLSTATE_OUTAGE.test(code)) return true;
    if (/PGlite is clos(?:ed|ing)/.test(at.message)) return true;
  }
  return false;
}
