/** Why a request about a run could not be served. Each names the run; what to answer is the caller's. */
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

  constructor(cause: unknown) {
    super(`Temporal cannot be reached: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
