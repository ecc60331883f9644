/** Facts in, one or many; and the letters that could not be delivered. */
import { z } from 'zod';
import { withCustomer } from '../../channels/nameless-customer.ts';
import type { Desk, EventRecord, IntakeItem } from '../../desk/desk.ts';
import { BUSINESS, conversationOf, type TenantId } from '../../domain/ids.ts';
import { eventSchemaOf, EventInput, MAX_EVENTS_AT_ONCE, misfitOf } from '../../domain/schemas/events.ts';
import { FanOutView } from '../../domain/schemas/fan-out.ts';
import { EventSubjectSchema } from '../../domain/schemas/ids.ts';
import { JsonValue } from '../../domain/schemas/values.ts';
import { storableText } from '../../domain/storable.ts';
import { assertStorable } from '../bodies.ts';
import type { EventAnswer, HttpDeps } from '../deps.ts';
import { knownProblem } from '../faults.ts';
import { invalidField, ProblemError, problemOf } from '../problems.ts';
import { Asker, Beginning, pageOf, PageQuery, present, type Routes } from '../route.ts';
import { readAgain } from '../take-in.ts';
import { viewOf } from './bulk.ts';

const EventRecordSchema = z.looseObject({
  key: z.string(),
  id: z.string(),
  source: z.string(),
  type: z.string(),
  subject: z.string().nullable(),
  time: z.string(),
  storedAt: z.string(),
  data: JsonValue,
  status: z.enum(['stored', 'delivered', 'dead']),
  attempts: z.int(),
  problem: z.string().nullable(),
  stale: z.boolean(),
});
const EventsQuery = z.strictObject({
  status: z.enum(['stored', 'delivered', 'dead']).optional(),
  subject: EventSubjectSchema.optional(),
  ...Beginning,
  ...PageQuery,
});
const Answers = z.object({
  items: z.array(
    z.object({
      id: z.string().nullable(),
      result: z.enum(['accepted', 'duplicate', 'rejected']),
      problem: z.looseObject({}).optional(),
    }),
  ),
});
/** A fact that a dead letter held. */
const ReadFact = z.object({ id: z.string(), type: z.string(), result: z.enum(['accepted', 'duplicate']) });
const Posted = z.union([
  EventInput,
  z.strictObject({ items: z.array(EventInput).max(MAX_EVENTS_AT_ONCE) }),
  z.array(EventInput).max(MAX_EVENTS_AT_ONCE),
]);

type EventDeps = Pick<HttpDeps, 'desk' | 'intake' | 'channelFor' | 'webhooks' | 'log'>;

export function eventRoutes(routes: Routes, deps: EventDeps): void {
  routes.add(
    // The document shows what may be posted; what is posted is checked item by item, so that one bad item fails alone.
    {
      method: 'post',
      path: '/events',
      role: 'operator',
      summary: 'Tell facts: one, or up to 500',
      body: Posted.or(z.unknown()),
      bodyIs: 'unchecked',
      act: false,
      answers: { 200: Answers },
    },
    async ({ tenant, body }) => Response.json({ items: await take(tenant, itemsOf(body), deps) }),
  );
  routes.add(
    {
      method: 'get',
      path: '/events',
      role: 'viewer',
      summary: 'List events; status=dead are the dead letters',
      query: EventsQuery,
      answers: { 200: pageOf(EventRecordSchema) },
    },
    async ({ tenant, query }) => Response.json(await deps.desk.events.list({ tenant, ...present(query) })),
  );
  routes.add(
    {
      method: 'get',
      path: '/events/:event',
      role: 'viewer',
      summary: 'One event; with how many it was told to, if it is of a topic',
      answers: { 200: EventRecordSchema.extend({ fanOut: FanOutView.nullable() }) },
    },
    async ({ tenant, param }) => {
      const record = await found(deps.desk, tenant, param('event'));
      const fanOut = await deps.desk.fanOuts.ofEvent(tenant, record.key);
      return Response.json({ ...record, fanOut: fanOut === null ? null : viewOf(fanOut) });
    },
  );
  routes.add(
    {
      method: 'post',
      path: '/events/:event/redeliver',
      role: 'operator',
      summary: 'Deliver once more; a dead letter that could not be read is read again',
      body: Asker,
      bodyIs: 'optional',
      answers: { 200: EventRecordSchema.extend({ events: z.array(ReadFact).optional() }) },
    },
    async ({ tenant, param }) => {
      const { key } = await found(deps.desk, tenant, param('event'));
      const letter = await deps.desk.events.unreadable(tenant, key);
      if (letter !== null) {
        const events = await readAgain({ tenant, key, letter }, deps);
        return Response.json({ ...(await found(deps.desk, tenant, key)), events });
      }
      const event = await deps.desk.events.requeue(tenant, key);
      if (event !== null) await deps.intake.redeliver(event);
      return Response.json(await found(deps.desk, tenant, key));
    },
  );
  routes.add(
    {
      method: 'post',
      path: '/events/:event/drop',
      role: 'operator',
      summary: 'Throw away a dead letter, or an event that still waits',
      body: Asker,
      bodyIs: 'optional',
      answers: { 200: EventRecordSchema },
    },
    async ({ tenant, param }) => {
      const record = await found(deps.desk, tenant, param('event'));
      if (!(await deps.desk.events.drop(tenant, record.key)))
        throw new ProblemError(
          'event_delivered',
          `${record.id} has been delivered, and what has been delivered stays on record; only dead letters and events that still wait can be dropped`,
        );
      return Response.json({ ...record, dropped: true });
    },
  );
}

/** @throws {ProblemError} `event_not_found` */
async function found(desk: Desk, tenant: TenantId, id: string): Promise<EventRecord> {
  if (id.length > 600) throw invalidField('event', 'must be the id of an event: at most 512 characters');
  const record = await desk.events.get(tenant, id);
  if (record === null) throw new ProblemError('event_not_found', `there is no event ${id}`);
  return record;
}

/** @throws {ProblemError} when the body is neither an event nor a batch. */
function itemsOf(body: unknown): readonly unknown[] {
  if (typeof body !== 'object' || body === null)
    throw invalidField('body', 'must be an event, an array of events, or {"items": [...]}');
  const items = Array.isArray(body) ? body : 'items' in body && !('type' in body) ? body.items : [body];
  if (!Array.isArray(items)) throw invalidField('items', 'must be an array of events');
  if (items.length > MAX_EVENTS_AT_ONCE)
    throw invalidField('items', `may hold ${MAX_EVENTS_AT_ONCE} events at most, not ${items.length}`);
  return items;
}

async function take(
  tenant: TenantId,
  items: readonly unknown[],
  { intake, channelFor }: Pick<HttpDeps, 'intake' | 'channelFor'>,
): Promise<EventAnswer[]> {
  const read = items.map((item) => readItem(tenant, item, channelFor(tenant)));
  const good = read.flatMap((one) => ('item' in one ? [one.item] : []));
  const accepted = [...(await intake.accept(good))];
  return read.map((one): EventAnswer => {
    if ('problem' in one) return one;
    return { id: one.item.event.id, result: accepted.shift()?.result ?? 'accepted' };
  });
}

function readItem(
  tenant: TenantId,
  item: unknown,
  channel: string | null,
): { item: IntakeItem } | (EventAnswer & { problem: object }) {
  const id =
    typeof item === 'object' && item !== null && 'id' in item && typeof item.id === 'string'
      ? item.id.slice(0, 512)
      : null;
  try {
    assertStorable(item);
    const event = plausible(tenant, eventSchemaOf(item).parse(item));
    return {
      item: {
        tenant,
        channel: conversationOf(event.subject ?? BUSINESS) === undefined ? null : channel,
        event: channel === null ? event : withCustomer(event),
      },
    };
  } catch (error) {
    const problem = knownProblem(error);
    if (problem === undefined) throw error;
    return {
      id: id === null ? null : storableText(id),
      result: 'rejected',
      problem: problemOf(problem),
    };
  }
}

/** @throws {ProblemError} where what fits by itself does not fit here. */
function plausible(tenant: TenantId, event: EventInput): EventInput {
  const misfit = misfitOf(event, { tenant, now: Date.now() });
  if (misfit !== undefined) throw invalidField(misfit.path, misfit.message);
  return { ...event, time: new Date(event.time).toISOString() };
}
