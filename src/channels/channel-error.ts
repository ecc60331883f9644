/** Every way a call to a provider fails, and the one error that says so. */

/**
 * Why a call to a provider failed, in the only terms the rest of the system needs:
 * `outage` nothing went out, try again; `rate_limited` the same, later; `unknown_fate` it may have gone out;
 * `window_closed`, `permanent` never try this again; `unreachable` the person cannot be reached at all;
 * `marketing_stopped` the person wants no marketing messages, which this is; `unauthorized` the whole channel is shut until a person mends it.
 */
export type ChannelFailure =
  | 'outage'
  | 'rate_limited'
  | 'unknown_fate'
  | 'window_closed'
  | 'permanent'
  | 'unreachable'
  | 'marketing_stopped'
  | 'unauthorized';

export class ChannelError extends Error {
  override readonly name = 'ChannelError';
  readonly failure: ChannelFailure;
  /** The provider's own code, for the operator. */
  readonly code: string;
  readonly retryAfterMs: number | undefined;

  constructor({
    failure,
    code,
    message,
    retryAfterMs,
    cause,
  }: {
    failure: ChannelFailure;
    code: string;
    message: string;
    retryAfterMs?: number;
    cause?: unknown;
  }) {
    super(message, { cause });
    this.failure = failure;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}
