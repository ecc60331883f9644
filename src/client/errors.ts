/** Why a request about a run could not be served. Each names the run; what to answer is the caller's. */
import { isGrpcServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { runName, type RunRef } from '../domain/ids.ts';
import type { RunSummary } from '../domain/schemas/runs.ts';

/** No run of this name is known to Temporal: never attached, or forgotten after the retention time. */
export class NotAttachedError extends Error {
  override readonly name = 'NotAttachedError';
  readonly run: RunRef;

  constructor(run: RunRef) {
    super(`nothing is attached as ${runName(run)}`);
    this.run = run;
  }
}

/** The run had ended, or its end was decided, before the request reached it. */
export class EndedError extends Error {
  override readonly name = 'EndedError';
  /** As far as Temporal still knows it. */
  readonly run: RunSummary;

  constructor(run: RunSummary) {
    super(`${runName(run)} has ended`);
    this.run = run;
  }
}

/** The request named one attachment and another one holds the run. */
export class AttachmentMismatchError extends Error {
  override readonly name = 'AttachmentMismatchError';
  readonly run: RunRef;
  readonly asked: string;

  constructor(run: RunRef, asked: string) {
    super(`${runName(run)} is held by another attachment than ${asked}`);
    this.run = run;
    this.asked = asked;
  }
}

/** Temporal took the request, no worker answered in time. The request may still be served later. */
export class NoWorkerError extends Error {
  override readonly name = 'NoWorkerError';
  readonly run: RunRef;

  constructor(run: RunRef, cause?: unknown) {
    super(`no worker answered for ${runName(run)}`, { cause });
    this.run = run;
  }
}

/** Temporal cannot be reached, or refuses service. */
export class TemporalUnavailableError extends Error {
  override readonly name = 'TemporalUnavailableError';
  /** What Temporal said where it was reached and would not serve, such as a search attribute it lacks; else null. */
  readonly refusal: string | null;

  constructor(cause: unknown) {
    const refusal = refusalOf(cause);
    const words = refusal ?? (cause instanceof Error ? cause.message : String(cause));
    super(`${refusal === null ? 'Temporal cannot be reached' : 'Temporal refuses'}: ${words}`, { cause });
    this.refusal = refusal;
  }
}

/** gRPC: INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED, FAILED_PRECONDITION, UNAUTHENTICATED. Asked again, it would say the same. */
const REFUSALS: readonly number[] = [3, 5, 7, 9, 16];

function refusalOf(error: unknown): string | null {
  if (error instanceof NamespaceNotFoundError) return `there is no namespace ${error.namespace}`;
  if (isGrpcServiceError(error)) return REFUSALS.includes(error.code) ? error.details : null;
  return error instanceof Error && error.cause !== undefined ? refusalOf(error.cause) : null;
}
