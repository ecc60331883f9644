/** Why a call to an ERP has no answer, in the only terms the rest of the system needs. */

/**
 * `outage` nothing was done, try again; `rate_limited` the same, later; `unknown_fate` a write may have been done: write
 * again with the same key, or ask `findByKey`; `permanent` never try this again; `unauthorized` the whole ERP is shut
 * until a person mends it. A read never has an unknown fate: it is an outage.
 */
export type ErpFailure = 'outage' | 'rate_limited' | 'unknown_fate' | 'permanent' | 'unauthorized';

export class ErpError extends Error {
  override readonly name = 'ErpError';
  readonly failure: ErpFailure;
  /** The ERP's own code, or the network's: for the operator. */
  readonly code: string;
  /** The ERP's own wish, or when our limit has a token again. */
  readonly retryAfterMs: number | undefined;

  constructor({ failure, code, message, retryAfterMs, cause }: ErpErrorData) {
    super(message, { cause });
    this.failure = failure;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

interface ErpErrorData {
  readonly failure: ErpFailure;
  readonly code: string;
  readonly message: string;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}
