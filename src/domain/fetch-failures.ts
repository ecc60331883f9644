/** What it means that `fetch` itself failed: did the request leave, or not? */

/**
 * The connection never stood, so no request was sent. Everything else that can go wrong (reset, closed, silent) may
 * happen after the other side has read the request. Codes of Node's net, dns and tls and of undici's connector.
 */
const NEVER_CONNECTED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|CERT_.*|ERR_TLS_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*)$/;

/** The connection never stood: nothing has left. */
export function neverConnected(code: string): boolean {
  return NEVER_CONNECTED.test(code);
}

/** The network's code of a failed `fetch`, or its error's name (`TimeoutError`, `AbortError`). */
export function fetchFailureCode(error: unknown): string {
  // Node hides the reason one level down, and one further when it tried several addresses.
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string' && error.code !== '') return error.code;
  if (error instanceof AggregateError && error.errors.length > 0) return fetchFailureCode(error.errors[0]);
  return error.cause instanceof Error ? fetchFailureCode(error.cause) : error.name;
}
