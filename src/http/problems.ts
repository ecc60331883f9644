/**
 * Every way the API can say no: one table, RFC 9457. `docs/guide/problems.md` says the same in words, and a test holds
 * the two together.
 */
import type { InputProblem } from '../domain/errors.ts';

export const PROBLEMS = {
  malformed_json: { status: 400, title: 'The body is not JSON' },
  malformed_request: { status: 400, title: 'The request cannot be read' },
  unauthenticated: { status: 401, title: 'A valid API key, or a session, is needed' },
  bad_signature: { status: 401, title: 'The signature does not fit the body' },
  wrong_verify_token: { status: 403, title: 'The verify token is another one' },
  forbidden: { status: 403, title: 'The key may not do this' },
  host_not_allowed: { status: 403, title: 'Without keys, only this machine may ask' },
  foreign_origin: { status: 403, title: 'The request comes from a page of another site' },
  no_such_route: { status: 404, title: 'There is nothing at this address' },
  tenant_not_found: { status: 404, title: 'The configuration knows no such tenant' },
  run_not_found: { status: 404, title: 'Nothing is attached under this name' },
  conversation_not_found: { status: 404, title: 'No such conversation' },
  event_not_found: { status: 404, title: 'No such event' },
  switch_not_found: { status: 404, title: 'Nothing is switched off under this name' },
  investigation_not_found: { status: 404, title: 'No such investigation' },
  delivery_not_found: { status: 404, title: 'No such delivery' },
  bulk_not_found: { status: 404, title: 'No such bulk act' },
  endpoint_not_found: { status: 404, title: 'No such webhook endpoint' },
  key_not_found: { status: 404, title: 'No such key in use' },
  media_not_found: { status: 404, title: 'The message holds no file' },
  channel_not_configured: { status: 404, title: 'The tenant has no such channel' },
  method_not_allowed: { status: 405, title: 'This address takes another method' },
  already_attached: { status: 409, title: 'An agent is attached there already' },
  already_decided: { status: 409, title: 'It has been decided' },
  proposal_changed: { status: 409, title: 'The proposal is another one now' },
  nothing_proposed: { status: 409, title: 'Nothing waits for a decision' },
  nothing_asked: { status: 409, title: 'Nothing waits for this answer' },
  attachment_mismatch: { status: 409, title: 'Another attachment holds this run now' },
  conversation_closed: { status: 409, title: 'The conversation is closed' },
  not_held: { status: 409, title: 'No human holds the conversation' },
  event_delivered: { status: 409, title: 'The event has been delivered' },
  event_unreadable: { status: 409, title: 'The dead letter still cannot be read' },
  key_name_taken: { status: 409, title: 'A key of this name is in use' },
  idempotency_in_progress: { status: 409, title: 'The same request is being executed' },
  media_gone: { status: 410, title: 'The provider has this file no more' },
  too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body must be JSON' },
  invalid: { status: 422, title: 'The request does not fit' },
  unknown_agent: { status: 422, title: 'There is no such agent' },
  invalid_config: { status: 422, title: 'The agent refuses this configuration' },
  idempotency_mismatch: { status: 422, title: 'The idempotency key came with another body before' },
  internal: { status: 500, title: 'A defect of ours' },
  no_worker: { status: 503, title: 'No worker answered in time' },
  still_ending: { status: 503, title: 'The run before is still ending' },
  media_unavailable: { status: 503, title: 'The provider does not hand the file out now' },
  temporal_unreachable: { status: 503, title: 'Temporal cannot be reached' },
  too_many_streams: { status: 503, title: 'Too many streams are open' },
  database_unreachable: { status: 503, title: 'The database cannot be reached' },
} as const;
export type ProblemCode = keyof typeof PROBLEMS;

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly errors: readonly InputProblem[];
}

/** Thrown anywhere below a route; `createApp` answers it. `members` are added to the problem, e.g. the existing run. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: ProblemCode;
  readonly errors: readonly InputProblem[];
  readonly members: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    {
      errors = [],
      members = {},
      retryAfterSeconds,
      cause,
    }: {
      errors?: readonly InputProblem[];
      members?: Record<string, unknown>;
      retryAfterSeconds?: number;
      cause?: unknown;
    } = {},
  ) {
    super(detail, { cause });
    this.code = code;
    this.errors = errors;
    this.members = members;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Resolved against the server that answered: it has a page for each. */
function problemType(code: ProblemCode): string {
  return `/docs/problems/${code}`;
}

export function problemOf(error: ProblemError): Problem {
  const { status, title } = PROBLEMS[error.code];
  return {
    type: problemType(error.code),
    title,
    status,
    detail: error.message,
    code: error.code,
    errors: error.errors,
  };
}

export function problemResponse(error: ProblemError): Response {
  const problem = problemOf(error);
  const headers = new Headers({ 'content-type': 'application/problem+json' });
  if (error.retryAfterSeconds !== undefined) headers.set('retry-after', String(error.retryAfterSeconds));
  if (problem.status === 401) headers.set('www-authenticate', 'Bearer');
  return new Response(JSON.stringify({ ...problem, ...error.members }), { status: problem.status, headers });
}

/** One field is wrong. `path` is dotted; the message begins with what it must be. */
export function invalidField(
  path: string,
  message: string,
  code: 'invalid' | 'unknown_agent' = 'invalid',
): ProblemError {
  return new ProblemError(code, `${path}: ${message}`, { errors: [{ path, message }] });
}
