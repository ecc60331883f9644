/** One POST to a tenant's endpoint: never a redirect followed, never an address asked that may not be. */
import { lookup } from 'node:dns';
import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { retryAfterMs } from '../../channels/retry-after.ts';
import { addressObjection } from './addresses.ts';

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
  const host = target.hostname.replace(/^\[|\]$/g, '');
  // A resolver is not asked about an address; the connection is made to the very address that was looked at.
  const objection = isIP(host) === 0 ? undefined : addressObjection(host, { allowPrivate });
  if (objection !== undefined) return { status: null, error: objection };
  const options: RequestOptions = {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    lookup: guarded(allowPrivate),
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
    request.end(body);
  });
}

/** Every address of the name must be allowed: one that is not may be the one chosen. */
function guarded(allowPrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, '', 0);
        return;
      }
      const objection = addresses
        .map(({ address }) => addressObjection(address, { allowPrivate }))
        .find((one) => one !== undefined);
      const [first] = addresses;
      if (objection !== undefined) callback(new Error(objection), '', 0);
      else if (options.all === true) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family ?? 0);
    });
  };
}

function reasonOf(error: Error, timeoutMs: number): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1_000} s`;
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [error];
  const code = first !== undefined && 'code' in first && typeof first.code === 'string' ? `${first.code}: ` : '';
  return `${code}${(first ?? error).message}`.slice(0, 300);
}
