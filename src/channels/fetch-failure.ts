/** What it means that `fetch` itself failed: did the request leave, or not? The whole question of a doubled message. */
import { ChannelError } from './channel.ts';

/**
 * The connection never stood, so no request was sent. Everything else that can go wrong (reset, closed, silent) may
 * happen after the provider has read the request. Codes of Node's net, dns and tls and of undici's connector.
 */
const NEVER_CONNECTED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|CERT_.*|ERR_TLS_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*)$/;

export function channelErrorOf(cause: unknown, provider: string): ChannelError {
  const code = codeOf(cause);
  if (NEVER_CONNECTED.test(code))
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

/** Node hides the reason one level down, and one further when it tried several addresses. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string' && error.code !== '') return error.code;
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error.cause instanceof Error ? codeOf(error.cause) : error.name;
}
