/** What it means that a call to a provider failed: did anything go out, or not? The whole question of a doubled message. */
import { fetchFailureCode, neverConnected } from '../domain/fetch-failures.ts';
import { ChannelError, type ChannelFailure } from './channel-error.ts';

/** Of `fetch` itself. */
export function channelErrorOf(cause: unknown, provider: string): ChannelError {
  const code = fetchFailureCode(cause);
  if (neverConnected(code))
    return new ChannelError({
      failure: 'outage',
      code,
      message: `${provider} cannot be reached (${code}): nothing was sent`,
      cause,
    });
  const why =
    code === 'TimeoutError'
      ? 'did not answer in time'
      : code === 'AbortError'
        ? 'was called, but the attempt was cancelled'
        : `lost the connection (${code})`;
  return new ChannelError({
    failure: 'unknown_fate',
    code,
    message: `${provider} ${why}: the message may have gone out`,
    cause,
  });
}

/** Of a status that is no success, where the provider has no words of its own for it: a 5xx may come from a gateway in between. */
export function failureOfStatus(status: number): ChannelFailure {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 429) return 'rate_limited';
  return status === 408 || status >= 500 ? 'unknown_fate' : 'permanent';
}
