/** What it means that `fetch` itself failed: did the request leave, or not? The whole question of a doubled message. */
import { fetchFailureCode, neverConnected } from '../domain/fetch-failures.ts';
import { ChannelError } from './channel.ts';

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
