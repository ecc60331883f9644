/** What a failure in an investigation's activity means: `../failures.ts` says whose outage something is, this when to try again. */
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { ErpError } from '../../erp/erp-error.ts';
import { INVESTIGATOR_FAULT } from '../../workflows/investigation-types.ts';
import { outageOf, UNAUTHORIZED_PAUSE_MS, UNKNOWN_AGENT_PAUSE_MS, UnknownAgentError } from '../failures.ts';

/** An investigator that throws three times at the same facts is wrong. */
const FAULT_ATTEMPTS = 3;

/** An investigator that cannot go on: not tried again, and the investigation fails with this message. */
export class InvestigatorFaultError extends Error {
  override readonly name = 'InvestigatorFaultError';
}

/** What to throw out of an activity that only reads. */
export function lookingFailure(error: unknown, attempt: number): Error {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error;
  if (error instanceof UnknownAgentError) return again(error, UNKNOWN_AGENT_PAUSE_MS);
  if (error instanceof InvestigatorFaultError) return fault(error);
  if (error instanceof ErpError)
    return error.failure === 'permanent' ? fault(error) : again(error, pauseOf(error, attempt));
  const outage = outageOf(error);
  if (outage !== null) return again(error, Math.max(backOff(attempt), outage.retryAfterMs ?? 0));
  return attempt >= FAULT_ATTEMPTS ? fault(error) : again(error, backOff(attempt));
}

/** Of one that acts: tried again by its key, whatever it was; only what the other side answered is an answer. */
export function actingFailure(error: unknown, attempt: number): Error {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error;
  return again(error, error instanceof ErpError ? pauseOf(error, attempt) : backOff(attempt));
}

function pauseOf({ failure, retryAfterMs }: ErpError, attempt: number): number {
  if (failure === 'unauthorized') return UNAUTHORIZED_PAUSE_MS;
  return Math.max(backOff(attempt), retryAfterMs ?? 0);
}

function backOff(attempt: number): number {
  return Math.min(1_000 * 2 ** (attempt - 1), 60_000);
}

function again(error: unknown, pauseMs: number): ApplicationFailure {
  return ApplicationFailure.create({ ...told(error), type: 'TryAgain', nextRetryDelay: pauseMs });
}

function fault(error: unknown): ApplicationFailure {
  return ApplicationFailure.create({ ...told(error), type: INVESTIGATOR_FAULT, nonRetryable: true });
}

function told(error: unknown): { message: string; cause?: Error } {
  return error instanceof Error
    ? { message: `${error.name}: ${error.message}`.slice(0, 500), cause: error }
    : { message: String(error).slice(0, 500) };
}
