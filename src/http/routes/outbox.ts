/** What was told to the tenant's own systems, what became of it, and the endpoints that said they are gone. */
import { z } from 'zod';
import type { EndpointOff } from '../../desk/desk.ts';
import { WEBHOOK_STATES } from '../../domain/webhooks.ts';
import { Delivery, Endpoint, OneDelivery } from '../answers/deliveries.ts';
import type { HttpDeps, WebhookEndpoint } from '../deps.ts';
import { ProblemError } from '../problems.ts';
import { Asker, Beginning, pageOf, PageQuery, present, type Routes } from '../route.ts';

const Switch = z.strictObject({
  enabled: z.boolean(),
  /** On again: what was held meanwhile is sent now. */
  redeliverHeld: z.boolean().default(false),
  by: z.string().max(200).optional(),
  reason: z.string().max(1_000).optional(),
});
const DeliveriesQuery = z.strictObject({
  status: z.enum(WEBHOOK_STATES).optional(),
  endpoint: z.string().max(40).optional(),
  ...Beginning,
  ...PageQuery,
});

type Deps = Pick<HttpDeps, 'desk' | 'webhookEndpoints'>;

export function outboxRoutes(routes: Routes, deps: Deps): void {
  deliveryRoutes(routes, deps);
  endpointRoutes(routes, deps);
}

function deliveryRoutes(routes: Routes, { desk }: Deps): void {
  routes.add(
    {
      method: 'get',
      path: '/deliveries',
      role: 'viewer',
      summary: 'List outgoing webhooks, newest first; status=failed are those nobody took',
      query: DeliveriesQuery,
      answers: { 200: pageOf(Delivery) },
    },
    async ({ tenant, query }) => Response.json(await desk.outbox.list({ tenant, ...present(query) })),
  );
  routes.add(
    {
      method: 'get',
      path: '/deliveries/:delivery',
      role: 'viewer',
      summary: 'One outgoing webhook: what it says, and every attempt',
      answers: { 200: OneDelivery },
    },
    async ({ tenant, param }) => {
      const found = await desk.outbox.get(tenant, param('delivery'));
      if (found === null) throw noDelivery(param('delivery'));
      return Response.json(OneDelivery.parse({ ...found, body: withoutLinks(JSON.parse(found.body) as Told) }));
    },
  );
  routes.add(
    {
      method: 'post',
      path: '/deliveries/:delivery/redeliver',
      role: 'operator',
      summary: 'Send it once more, at once and then for a day',
      body: Asker,
      bodyIs: 'optional',
      answers: { 200: Delivery },
    },
    async ({ tenant, param }) => {
      const delivery = await desk.outbox.redeliver(tenant, param('delivery'));
      if (delivery === null) throw noDelivery(param('delivery'));
      return Response.json(delivery);
    },
  );
}

function endpointRoutes(routes: Routes, deps: Deps): void {
  const { desk, webhookEndpoints } = deps;
  routes.add(
    {
      method: 'get',
      path: '/webhook-endpoints',
      role: 'viewer',
      summary: 'Where this tenant is told what happened, and what is switched off',
      answers: { 200: pageOf(Endpoint) },
    },
    async ({ tenant }) => {
      const off = await desk.outbox.endpointsOff(tenant);
      return Response.json({ items: webhookEndpoints(tenant).map((one) => shownEndpoint(one, off)), nextCursor: null });
    },
  );
  routes.add(
    {
      method: 'get',
      path: '/webhook-endpoints/:endpoint',
      role: 'viewer',
      summary: 'One of them',
      answers: { 200: Endpoint },
    },
    async ({ tenant, param }) => {
      const endpoint = endpointOf(webhookEndpoints(tenant), param('endpoint'));
      return Response.json(shownEndpoint(endpoint, await desk.outbox.endpointsOff(tenant)));
    },
  );
  routes.add(
    {
      method: 'put',
      path: '/webhook-endpoints/:endpoint',
      role: 'admin',
      summary: 'Switch it off, or on again after it said 410',
      body: Switch,
      answers: { 200: Endpoint.extend({ redelivered: z.int() }) },
    },
    async ({ tenant, param, body, actor }) => {
      const endpoint = endpointOf(webhookEndpoints(tenant), param('endpoint'));
      const of = { tenant, endpoint: endpoint.id };
      let redelivered = 0;
      if (body.enabled) redelivered = await desk.outbox.switchOn({ ...of, redeliverHeld: body.redeliverHeld });
      else await desk.outbox.switchOff({ ...of, by: actor(body.by), reason: body.reason ?? null });
      return Response.json({ ...shownEndpoint(endpoint, await desk.outbox.endpointsOff(tenant)), redelivered });
    },
  );
}

interface Told {
  readonly data: { readonly links?: readonly { readonly person: string }[] };
}

/** Whoever may read deliveries is not therefore everybody who may decide: what a signed link opens is for its person alone. */
function withoutLinks<Body extends Told>(body: Body) {
  const { links } = body.data;
  if (links === undefined) return body;
  return {
    ...body,
    data: { ...body.data, links: links.map(({ person }) => ({ person, url: 'sent to the endpoint alone' })) },
  };
}

function noDelivery(id: string): ProblemError {
  return new ProblemError('delivery_not_found', `there is no delivery ${id.slice(0, 120)}`);
}

/** @throws {ProblemError} `endpoint_not_found` */
function endpointOf(endpoints: readonly WebhookEndpoint[], id: string): WebhookEndpoint {
  const found = endpoints.find((one) => one.id === id);
  if (found !== undefined) return found;
  const known = endpoints.map((one) => one.id).join(', ');
  throw new ProblemError(
    'endpoint_not_found',
    `there is no endpoint ${id.slice(0, 120)}; ${known === '' ? 'the tenant has none' : `there are ${known}`}`,
  );
}

function shownEndpoint({ id, url, types }: WebhookEndpoint, off: readonly EndpointOff[]): Endpoint {
  const switched = off.find(({ endpoint }) => endpoint === id);
  const { origin, pathname } = new URL(url);
  return {
    id,
    // Without what a query or a user part may hold: secrets.
    url: `${origin}${pathname}`,
    types: types === undefined ? null : [...types],
    enabled: switched === undefined,
    off: switched === undefined ? null : { since: switched.since, by: switched.by, reason: switched.reason },
  };
}
