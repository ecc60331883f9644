/** Stored events: reading them, and what became of their delivery. */
import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, ne, or, sql, type SQL } from 'drizzle-orm';
import { conversationOf, type AttachmentId, type TenantId } from '../../domain/ids.ts';
import { pageOf, readOrder, writeCursor } from '../database/cursors.ts';
import type { Db } from '../database/database.ts';
import type { Desk } from '../desk.ts';
import { isKey, keyBegins } from '../database/columns.ts';
import { toDeliverable, toEventRecord, toStoredEvent } from './event-rows.ts';
import { followers } from '../fan-out/schema.ts';
import { attachedByDesk, runs, ticks } from '../runs/schema.ts';
import { conversations, deliveries, events, messages } from '../schema.ts';

/** Tries of an event that is itself at fault before an operator has to look: by the reconciler’s rounds, some twenty seconds. */
const DELIVERY_ATTEMPTS = 10;
/** Type of a dead letter that could not be parsed: no run can be given one. */
export const UNREADABLE = 'unreadable';
/** No attachment has this name. */
const NOBODY = '' as AttachmentId;

export function createEvents(db: Db): Desk['events'] {
  const newest = async (tenant: TenantId, id: string) => {
    const [row] = await db
      .select()
      .from(events)
      .where(and(named(tenant, id), isNull(events.droppedAt)))
      .orderBy(desc(events.seq))
      .limit(1);
    return row;
  };
  return {
    async get(tenant, id) {
      const row = await newest(tenant, id);
      return row === undefined ? null : toEventRecord(row);
    },
    async unreadable(tenant, id) {
      const row = await newest(tenant, id);
      if (row?.type !== UNREADABLE) return null;
      const { data, seal, storedAt } = row;
      return { body: (data as { readonly body: string }).body, seal, storedAt };
    },
    async list({ tenant, status, subject, beginning, limit, cursor }) {
      const rows = await db
        .select()
        .from(events)
        .where(
          and(
            eq(events.tenant, tenant),
            isNull(events.droppedAt),
            status && eq(events.status, status),
            subject && eq(events.subject, subject),
            beginning === undefined
              ? undefined
              : or(keyBegins(events.key, beginning), sql`starts_with(${events.id}, ${beginning})`),
            cursor === undefined ? undefined : lt(events.seq, readOrder(cursor)),
          ),
        )
        .orderBy(desc(events.seq))
        .limit(limit + 1);
      return pageOf(rows, limit, toEventRecord, (row) => writeCursor(row.seq));
    },
    async load(keys) {
      if (keys.length === 0) return [];
      const rows = await db
        .select()
        .from(events)
        .where(and(inArray(events.key, keys.filter(isKey)), ne(events.type, UNREADABLE)))
        .orderBy(asc(events.seq));
      return rows.map(toStoredEvent);
    },
    async after({ tenant, subject, attachment = NOBODY, seq, limit }) {
      const rows = await db
        .select()
        .from(events)
        .where(
          and(
            eq(events.tenant, tenant),
            sql`${events.subject} = any(${topicsOf(attachment)} || ${subject}::text)`,
            gt(events.seq, seq),
            eq(events.ownEcho, false),
            isNull(events.droppedAt),
          ),
        )
        .orderBy(asc(events.seq))
        .limit(limit);
      return rows.map(toStoredEvent);
    },
    unanswered: (query) => unanswered(db, query),
    async followedSinceAttach({ tenant, attachment, limit }) {
      const since = db.select({ at: attachedByDesk }).from(runs).where(eq(runs.attachment, attachment));
      const rows = await db
        .select()
        .from(events)
        .where(
          and(
            eq(events.tenant, tenant),
            sql`${events.subject} = any(${topicsOf(attachment)})`,
            sql`${events.storedAt} >= ${since}`,
            isNull(events.droppedAt),
          ),
        )
        .orderBy(desc(events.seq))
        .limit(limit);
      return rows.reverse().map(toStoredEvent);
    },
    async undelivered(query) {
      return (await undeliveredEvents(db, query)).map(toDeliverable);
    },
    async wasDelivered(key, attachment) {
      if (!isKey(key)) return false;
      const [row] = await db
        .select({ at: deliveries.at })
        .from(deliveries)
        .where(and(eq(deliveries.eventKey, key), eq(deliveries.attachment, attachment)));
      return row !== undefined;
    },
    async wasConsumed(key, { tenant, subject, slot }) {
      const named = sql`${JSON.stringify([key])}::jsonb`;
      const [consumed] = await db
        .select({ tick: ticks.tick })
        .from(ticks)
        .innerJoin(runs, eq(runs.attachment, ticks.attachment))
        .where(
          and(
            ...[eq(runs.tenant, tenant), eq(runs.subject, subject), eq(runs.slot, slot), isNotNull(runs.endedAt)],
            sql`${ticks.events} @> ${named} and not ${runs.unhandled} @> ${named}`,
          ),
        )
        .limit(1);
      return consumed !== undefined;
    },
    markDelivered: (key, attachments, requeues = 0) => markDelivered(db, key, { attachments, requeues }),
    async markFailed(key, problem, options) {
      const dead = options?.dead === true ? sql`true` : sql`${events.attempts} + 1 >= ${DELIVERY_ATTEMPTS}`;
      // What has been delivered meanwhile stays delivered.
      const [row] = await db
        .update(events)
        .set({
          attempts: sql`${events.attempts} + 1`,
          problem,
          status: sql`case when ${dead} then 'dead' else ${events.status} end`,
        })
        .where(and(eq(events.key, key), ne(events.status, 'delivered')))
        .returning({ status: events.status });
      return row?.status ?? 'delivered';
    },
    async markStale(key) {
      await db.update(events).set({ stale: true }).where(eq(events.key, key));
    },
    async requeue(tenant, id) {
      const row = await newest(tenant, id);
      if (row === undefined || row.type === UNREADABLE) return null;
      const [requeued] = await db
        .update(events)
        .set({ status: 'stored', attempts: 0, problem: null, requeues: sql`${events.requeues} + 1` })
        .where(eq(events.key, row.key))
        .returning();
      return requeued === undefined ? null : toDeliverable(requeued);
    },
    async drop(tenant, id) {
      const row = await newest(tenant, id);
      if (row === undefined) return false;
      const dropped = await db
        .update(events)
        .set({ droppedAt: sql`now()` })
        .where(and(eq(events.key, row.key), isNull(events.droppedAt), ne(events.status, 'delivered')))
        .returning({ key: events.key });
      return dropped.length > 0;
    },
  };
}

/** What the customer wrote that nobody has answered since, neither we nor a human, and that no close has done with. */
async function unanswered(
  db: Db,
  { tenant, subject, limit }: Parameters<Desk['events']['unanswered']>[0],
): ReturnType<Desk['events']['unanswered']> {
  const conversation = conversationOf(subject);
  if (conversation === undefined) return [];
  // An answer comes after the question both at the provider and here: a message that reached us late was not seen by
  // whoever wrote before it came, and one written before the question does not answer it, however late it came.
  const answer = and(
    eq(messages.tenant, tenant),
    eq(messages.conversation, conversation),
    eq(messages.direction, 'out'),
    eq(messages.private, false),
    ne(messages.author, 'automation'),
    sql`${messages.at} >= ${events.time}`,
    sql`${messages.storedAt} >= ${events.storedAt}`,
  );
  // Whoever closed the conversation had done with what was said before.
  const closing = and(
    eq(conversations.tenant, tenant),
    eq(conversations.id, conversation),
    sql`${conversations.closedAt} >= ${events.time}`,
  );
  const rows = await db
    .select()
    .from(events)
    .where(
      and(
        eq(events.tenant, tenant),
        eq(events.subject, subject),
        eq(events.type, 'message.inbound'),
        isNull(events.droppedAt),
        sql`not exists (select 1 from ${messages} where ${answer})`,
        sql`not exists (select 1 from ${conversations} where ${closing})`,
      ),
    )
    .orderBy(desc(events.seq))
    .limit(limit);
  return rows.reverse().map(toStoredEvent);
}

/** One statement: the event, unless it was given back since, and the record for each attachment. */
async function markDelivered(
  db: Db,
  key: string,
  { attachments, requeues }: { readonly attachments: readonly AttachmentId[]; readonly requeues: number },
): Promise<void> {
  const known = db.$with('known').as(
    db
      .update(events)
      .set({
        status: sql`case when ${events.requeues} = ${requeues} then 'delivered' else ${events.status} end`,
        problem: null,
      })
      .where(eq(events.key, key))
      .returning({ key: events.key }),
  );
  const told = sql`select ${known.key}, attachment, clock_timestamp() from ${known}, jsonb_array_elements_text(${JSON.stringify(attachments)}::jsonb) as attachment`;
  await db.with(known).insert(deliveries).select(told).onConflictDoNothing();
}

/** Subjects of the topics that this attachment follows: an array, which `events_subject` is searched by. */
function topicsOf(attachment: AttachmentId): SQL {
  return sql`array(select 'topic/' || ${followers.topic} from ${followers} where ${followers.attachment} = ${attachment})`;
}

/** The head of `events_undelivered`, an index of undelivered events in this order. */
export function undeliveredEvents(
  db: Db,
  { olderThanMs, limit }: { readonly olderThanMs: number; readonly limit: number },
) {
  return db
    .select()
    .from(events)
    .where(
      and(
        sql`${events.status} = 'stored'`,
        isNull(events.droppedAt),
        sql`${events.storedAt} <= (clock_timestamp() - ${olderThanMs}::float8 * interval '1 millisecond')::timestamptz(3)`,
      ),
    )
    .orderBy(asc(events.seq))
    .limit(limit);
}

function named(tenant: TenantId, id: string): SQL | undefined {
  return and(eq(events.tenant, tenant), isKey(id) ? or(eq(events.key, id), eq(events.id, id)) : eq(events.id, id));
}
