/** One attempt to bring an outgoing webhook to its endpoint, and what its answer means. */
import { signedHeaders } from '../../channels/standard-webhooks.ts';
import type { Desk } from '../../desk/desk.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { AttemptInput, Attempted, WebhookActivities } from '../../workflows/webhook-delivery-types.ts';
import type { Log } from '../../telemetry/logger.ts';
import { post, type Posted } from './post.ts';

/** Standard Webhooks suggests 15 to 30 s. */
const TIMEOUT_MS = 20_000;

export interface WebhookDeps {
  readonly desk: Pick<Desk, 'outbox'>;
  /** Undefined: it is not in the configuration (any more). */
  endpoint(tenant: TenantId, id: string): WebhookTarget | undefined;
  readonly log: Log;
  /** ms since 1970. */
  readonly clock: () => number;
  /** How long an endpoint may take to answer; 20 s when absent. */
  readonly timeoutMs?: number;
}
export interface WebhookTarget {
  readonly url: string;
  readonly secret: string;
  readonly previousSecret?: string | undefined;
  readonly allowPrivateNetwork: boolean;
}

export function createWebhookActivities(deps: WebhookDeps): WebhookActivities {
  return { attemptWebhook: (input) => attempt(deps, input) };
}

const OVER: Attempted = { result: 'over' };

async function attempt(deps: WebhookDeps, input: AttemptInput): Promise<Attempted> {
  const { outbox } = deps.desk;
  const { tenant, delivery: id, round } = input;
  const delivery = await outbox.get(tenant, id);
  if (delivery === null || delivery.state !== 'pending' || delivery.round !== round) return OVER;
  const endpoint = deps.endpoint(tenant, delivery.endpoint);
  const of = { tenant, id, round };
  if (endpoint === undefined) {
    await outbox.settle({ ...of, state: 'failed', reason: 'the endpoint is no longer in the configuration' });
    return OVER;
  }
  const off = await outbox.endpointsOff(tenant);
  if (off.some((one) => one.endpoint === delivery.endpoint)) {
    await outbox.settle({ ...of, state: 'held', reason: 'the endpoint is switched off' });
    return OVER;
  }
  const began = deps.clock();
  const posted = await post(postingOf(deps, { id, body: delivery.body, endpoint }));
  const made = {
    at: new Date(began).toISOString(),
    durationMs: deps.clock() - began,
    status: posted.status,
    error: problemOf(posted),
  };
  const next = nextOf(posted, input.nextInMs);
  const told = { delivery: id, endpoint: delivery.endpoint, status: posted.status, next: next.state };
  if (made.error === null) deps.log.info(told, 'webhook sent');
  else deps.log.warn({ ...told, problem: made.error }, 'webhook not taken');
  if (next.state !== 'pending') {
    await outbox.recordAttempt({ ...of, attempt: made, then: next });
    return OVER;
  }
  const nextAttemptAt = new Date(deps.clock() + next.inMs).toISOString();
  await outbox.recordAttempt({ ...of, attempt: made, then: { state: 'pending', nextAttemptAt } });
  return { result: 'again', inMs: next.inMs };
}

function postingOf(
  deps: WebhookDeps,
  { id, body, endpoint }: { id: string; body: string; endpoint: WebhookTarget },
): Parameters<typeof post>[0] {
  const { url, secret, previousSecret, allowPrivateNetwork } = endpoint;
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
  return {
    url,
    headers: {
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'user-agent': 'attache-webhooks',
      // The wall clock, whatever time a test has: the receiver compares it with its own.
      ...signedHeaders({ id, at: new Date(), body, secrets }),
    },
    body,
    allowPrivate: allowPrivateNetwork,
    timeoutMs: deps.timeoutMs ?? TIMEOUT_MS,
  };
}

type Next = { readonly state: 'delivered' | 'failed' | 'held' } | { readonly state: 'pending'; readonly inMs: number };

/** 2xx is done, 410 shuts the endpoint; anything else, a redirect too, is tried again while the schedule lasts. */
function nextOf(posted: Posted, nextInMs: number | null): Next {
  if (posted.status !== null && posted.status >= 200 && posted.status < 300) return { state: 'delivered' };
  if (posted.status === 410) return { state: 'held' };
  if (nextInMs === null) return { state: 'failed' };
  const asked = posted.status === null ? 0 : (posted.retryAfterMs ?? 0);
  return { state: 'pending', inMs: Math.max(nextInMs, asked) };
}

function problemOf(posted: Posted): string | null {
  if (posted.status === null) return posted.error;
  if (posted.status >= 200 && posted.status < 300) return null;
  if (posted.status >= 300 && posted.status < 400)
    return `HTTP ${posted.status}: redirects are not followed; name the final address`;
  return `HTTP ${posted.status}`;
}
