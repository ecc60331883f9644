/**
 * The one place that says what a failure means: a fault of the agent (counted, ends the wake-up), somebody's outage
 * (retried within the wake-up, then postponed, uncounted), or nobody's fault (retried, never counted).
 */
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { placeOf } from '../domain/stack-frames.ts';
import { InvalidOutcomeError, ProviderOutageError } from '../domain/errors.ts';
import { ErpError } from '../erp/erp-error.ts';
import { CRASH_LOOP, PROVIDER_OUTAGE, TICK_FAULT, type FailureDetail } from '../workflows/activity-types.ts';

/** An outage is retried inside the wake-up for this long; then the run is postponed. Longer than most blips and restarts. */
export const OUTAGE_DEADLINE_MS = 5 * 60_000;
/** And at least this often (1 + 2 + 4 + 8 + 16 + 32 s between them), whatever part of that time was spent in a queue. */
export const OUTAGE_MIN_ATTEMPTS = 6;
const OUTAGE_MAX_PAUSE_MS = 60_000;
/** Attempts of one wake-up that died without a word, in a row: the tick kills its worker. */
export const CRASH_LIMIT = 5;
/** How soon another worker is asked whether it knows this agent or version: deploys take about that long. */
export const UNKNOWN_AGENT_PAUSE_MS = 10_000;

/** Credentials are refused: somebody has to mend them; what needs them is tried again this often. */
export const UNAUTHORIZED_PAUSE_MS = 15 * 60_000;
/** Of the failure: another worker is to try. */
export const UNKNOWN_AGENT = 'UnknownAgent';

/** This worker's code does not know the agent, or only an older version of it. Another worker may. */
export class UnknownAgentError extends Error {
  override readonly name = 'UnknownAgentError';
}

/** The tick took longer than its policy allows. */
export class TickTimeoutError extends Error {
  override readonly name = 'TickTimeoutError';
}

/** The attempt that has failed. */
export interface FailedAttempt {
  /** Counts from 1, over all retries of this wake-up. */
  readonly number: number;
  /** Since the wake-up was scheduled, ms. */
  readonly sinceScheduledMs: number;
  /** Our worker is being shut down: whatever was thrown, it is the deploy's doing. */
  readonly shuttingDown: boolean;
}

/** What to throw out of a tick activity for an error its agent, or we, have thrown. */
export function tickFailure(error: unknown, attempt: FailedAttempt): Error {
  if (attempt.shuttingDown) return retry('worker shutting down', 'WorkerShutdown', 100, error);
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error;
  if (error instanceof UnknownAgentError) return retry(error.message, UNKNOWN_AGENT, UNKNOWN_AGENT_PAUSE_MS, error);
  const outage = outageOf(error);
  if (outage !== null) return outageFailure(outage, attempt);
  if (error instanceof InvalidOutcomeError)
    return fault(
      { fault: `invalid outcome, ${error.rule}`, message: placed(error.message.replace(`${error.rule}: `, ''), error) },
      error,
    );
  if (error instanceof TickTimeoutError) return fault({ fault: 'tick timed out', message: error.message }, error);
  const { name, message } = error instanceof Error ? error : { name: 'thrown value', message: String(error) };
  return fault({ fault: name, message: placed(message.slice(0, 500), error) }, error);
}

/** With the line of the agent's own code, which is what its author looks for. */
function placed(message: string, error: unknown): string {
  const place = placeOf(error);
  return place === undefined ? message : `${message} (${place})`;
}

export function crashLoop(crashes: number): ApplicationFailure {
  const detail: FailureDetail = { fault: 'crash loop', message: `${crashes} attempts in a row died without a word` };
  return ApplicationFailure.create({
    type: CRASH_LOOP,
    message: detail.message,
    nonRetryable: true,
    details: [detail],
  });
}

/**
 * An outage behind whatever a client library has thrown: our own error, an HTTP status of 408, 429 or 5xx, a time-out,
 * or a connection that could not be made or broke. Null: none of these.
 */
export function outageOf(
  error: unknown,
): { readonly message: string; readonly retryAfterMs: number | undefined } | null {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth += 1) {
    if (current instanceof ProviderOutageError) return { message: current.message, retryAfterMs: current.retryAfterMs };
    if (current instanceof ErpError) return erpOutageOf(current);
    if (current instanceof InvalidOutcomeError || current instanceof TickTimeoutError) return null;
    const { status, statusCode, code, responseHeaders } = current as Error & Record<string, unknown>;
    const http = typeof statusCode === 'number' ? statusCode : status;
    const isOutage =
      (typeof http === 'number' && (http === 408 || http === 429 || http >= 500)) ||
      current.name === 'TimeoutError' ||
      (typeof code === 'string' && BROKEN_CONNECTION.has(code));
    if (isOutage) return { message: current.message.slice(0, 500), retryAfterMs: retryAfterOf(responseHeaders) };
  }
  return null;
}

/**
 * A tick only reads, so what an ERP could not answer was not done; a shut one is a person's to mend; what it will
 * never answer is a fault.
 */
function erpOutageOf({ failure, message, retryAfterMs }: ErpError): ReturnType<typeof outageOf> {
  return failure === 'permanent' ? null : { message, retryAfterMs };
}

const BROKEN_CONNECTION: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_SOCKET',
]);

function outageFailure(
  { message, retryAfterMs }: NonNullable<ReturnType<typeof outageOf>>,
  attempt: FailedAttempt,
): ApplicationFailure {
  const backoff = Math.min(1_000 * 2 ** (attempt.number - 1), OUTAGE_MAX_PAUSE_MS);
  const pause = Math.max(backoff, retryAfterMs ?? 0);
  const isOver = attempt.number >= OUTAGE_MIN_ATTEMPTS && attempt.sinceScheduledMs + pause > OUTAGE_DEADLINE_MS;
  // A Retry-After beyond the deadline is honoured by postponing the run, not by holding its wake-up open.
  const postpone = isOver || pause > OUTAGE_DEADLINE_MS;
  const detail: FailureDetail = { fault: 'provider outage', message };
  return ApplicationFailure.create({
    type: PROVIDER_OUTAGE,
    message,
    nonRetryable: postpone,
    nextRetryDelay: pause,
    details: [detail],
  });
}

function fault(detail: FailureDetail, cause: unknown): ApplicationFailure {
  return ApplicationFailure.create({
    type: TICK_FAULT,
    message: `${detail.fault}: ${detail.message}`,
    nonRetryable: true,
    details: [detail],
    ...(cause instanceof Error ? { cause } : {}),
  });
}

function retry(message: string, type: string, pauseMs: number, cause: unknown): ApplicationFailure {
  return ApplicationFailure.create({
    message,
    type,
    nextRetryDelay: pauseMs,
    ...(cause instanceof Error ? { cause } : {}),
  });
}

/** `retry-after` in seconds; the date form is rare enough to wait the ordinary time. */
function retryAfterOf(headers: unknown): number | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const seconds = Number((headers as Record<string, unknown>)['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : undefined;
}
