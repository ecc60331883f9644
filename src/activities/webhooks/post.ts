/** One POST to a tenant's endpoint: never a redirect followed, never an address asked that may not be. */
import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { addressKind, guardedLookup, objectionToHost, type AddressObjection } from '../../channels/addresses.ts';
import { retryAfterMs } from '../../channels/retry-after.ts';

export interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly allowPrivate: boolean;
  readonly timeoutMs: number;
}
export type Posted =
  | { readonly status: number; readonly retryAfterMs: number | undefined }
  /** No answer: why not, for the log. */
  | { readonly status: null; readonly error: string };

/** Never throws. What the receiver writes is not read: its status says it all. */
export async function post({ url, headers, body, allowPrivate, timeoutMs }: Posting): Promise<Posted> {
  const target = new URL(url);
  const objection = objectionToHost(target, objectionTo(allowPrivate));
  if (objection !== undefined) return { status: null, error: objection };
  const options: RequestOptions = {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    lookup: guardedLookup(objectionTo(allowPrivate)),
    signal: AbortSignal.timeout(timeoutMs),
    // A connection kept for the next call may have been closed meanwhile: the next attempt would fail for nothing.
    agent: false,
  };
  return new Promise((resolve) => {
    const request = (target.protocol === 'https:' ? httpsRequest : httpRequest)(target, options, (response) => {
      const { statusCode = 0, headers: answered } = response;
      resolve({ status: statusCode, retryAfterMs: retryAfterMs(answered['retry-after'] ?? null, Date.now()) });
      response.destroy();
    });
    request.once('error', (error) => resolve({ status: null, error: reasonOf(error, timeoutMs) }));
    // Also after an answer that is none, such as 101: no error tells of that one.
    request.once('close', () => resolve({ status: null, error: 'the connection was closed without an answer' }));
    request.end(body);
  });
}

/** A tenant's endpoint is named in our configuration, which may have been filled in by the tenant. */
export function objectionTo(allowPrivate: boolean): AddressObjection {
  return (address) => {
    const kind = addressKind(address);
    if (kind === 'never') return `${address} is an address no webhook may be sent to`;
    return kind === 'private' && !allowPrivate
      ? `${address} is a private address; set allowPrivateNetwork: true on the endpoint if it is meant`
      : undefined;
  };
}

function reasonOf(error: Error, timeoutMs: number): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1_000} s`;
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [error];
  const code = first !== undefined && 'code' in first && typeof first.code === 'string' ? `${first.code}: ` : '';
  return `${code}${(first ?? error).message}`.slice(0, 300);
}
