/** What may come twice: POSTs with an idempotency key, and GETs of what has not changed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Desk } from '../desk/desk.ts';
import type { TenantId } from '../domain/ids.ts';
import { etagOf } from './etag.ts';
import { knownProblem } from './faults.ts';
import { invalidField, ProblemError, problemResponse } from './problems.ts';
import { digest } from './secrets.ts';

/** Longer than any act waits for its run (5 s). */
const WAIT_MS = 10_000;
const ASK_EVERY_MS = 50;

interface Repeatable {
  readonly tenant: TenantId;
  readonly request: Request;
  readonly body: unknown;
  /** The answer is not kept, since it holds a secret. */
  readonly secret: boolean;
}

/**
 * Executes the request, or answers what it answered when it came first. Without `Idempotency-Key`: executes it.
 * @throws {ProblemError} `idempotency_mismatch`, `idempotency_in_progress`
 */
export async function once(
  { tenant, request, body, secret }: Repeatable,
  { idempotency }: Pick<Desk, 'idempotency'>,
  execute: () => Promise<Response>,
): Promise<Response> {
  const key = request.headers.get('idempotency-key');
  if (key === null) return execute();
  if (!/^[\x21-\x7e]{1,200}$/.test(key))
    throw invalidField('Idempotency-Key', 'must be 1 to 200 characters of ASCII without spaces');
  if (secret)
    throw invalidField('Idempotency-Key', 'must not be sent here: the answer holds a secret, which is not kept');
  const repeatable = { tenant, key, route: routeOf(request) };
  const bodyHash = digest(JSON.stringify(body ?? null)).toString('hex');
  for (const deadline = Date.now() + WAIT_MS; ;) {
    const begun = await idempotency.begin({ ...repeatable, bodyHash });
    if (begun.state === 'other_body')
      throw new ProblemError(
        'idempotency_mismatch',
        'this Idempotency-Key came with another body before; draw a new key for a new request',
      );
    if (begun.state === 'done') return storedAnswer(begun);
    if (begun.state === 'mine') break;
    if (Date.now() >= deadline)
      throw new ProblemError('idempotency_in_progress', 'the same request is still being executed; ask again', {
        retryAfterSeconds: 5,
      });
    await sleep(ASK_EVERY_MS);
  }
  try {
    const response = await execute();
    // What failed for want of something may be tried again under the same key.
    if (response.status >= 500) await idempotency.abandon(repeatable);
    else await idempotency.finish({ ...repeatable, status: response.status, body: await response.clone().text() });
    return response;
  } catch (error) {
    const known = knownProblem(error);
    const refusal = known === undefined ? undefined : problemResponse(known);
    if (refusal === undefined || refusal.status >= 500) await idempotency.abandon(repeatable);
    else await idempotency.finish({ ...repeatable, status: refusal.status, body: await refusal.text() });
    throw error;
  }
}

function storedAnswer({ status, body }: { readonly status: number; readonly body: string }): Response {
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  const headers = { 'content-type': type, 'idempotent-replayed': 'true' };
  return new Response(body === '' ? null : body, { status, headers });
}

function routeOf({ method, url }: Request): string {
  const { pathname } = new URL(url);
  return `${method} ${pathname.length <= 300 ? pathname : digest(pathname).toString('hex')}`;
}

/** Marks a JSON answer by its content; 304 for who has it already. */
export async function unlessKnown(request: Request, response: Response): Promise<Response> {
  const type = response.headers.get('content-type') ?? '';
  if (response.status !== 200 || !type.startsWith('application/json')) return response;
  const body = await response.text();
  const tag = etagOf(body);
  const headers = new Headers(response.headers);
  headers.set('etag', tag);
  headers.set('cache-control', 'private, no-cache');
  const known = (request.headers.get('if-none-match') ?? '').split(/\s*,\s*/).map((one) => one.replace(/^W\//, ''));
  if (!known.includes(tag) && !known.includes('*')) return new Response(body, { status: 200, headers });
  headers.delete('content-type');
  return new Response(null, { status: 304, headers });
}
