/** What becomes of the delivery of stored events: to whom, after how many tries, and what people make of those that failed. */
import { and, asc, eq, isNotNull, isNull, ne, sql } from 'drizzle-orm';
import type { AttachmentId, RunRef } from '../../domain/ids.ts';
import { isKey } from '../database/columns.ts';
import type { Db } from '../database/database.ts';
import type { Events } from '../ports/events.ts';
import { runs, ticks } from '../runs/schema.ts';
import { deliveries, events } from '../schema.ts';
import { newestEvent, toDeliverable, UNREADABLE } from './event-rows.ts';

/** Tries of an event that is itself at fault before an operator has to look: by the reconciler’s rounds, some twenty seconds. */
const DELIVERY_ATTEMPTS = 10;

type Deliveries = Pick<
  Events,
  'undelivered' | 'wasDelivered' | 'wasConsumed' | 'markDelivered' | 'markFailed' | 'markStale' | 'requeue' | 'drop'
>;

export function createDeliveries(db: Db): Deliveries {
  return {
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
    wasConsumed: (key, run) => wasConsumed(db, key, run),
    markDelivered: (key, attachments, requeues = 0) => markDelivered(db, key, { attachments, requeues }),
    markFailed: (key, problem, options) => markFailed(db, key, { problem, isDead: options?.dead === true }),
    async markStale(key) {
      await db.update(events).set({ stale: true }).where(eq(events.key, key));
    },
    async requeue(tenant, id) {
      const row = await newestEvent(db, tenant, id);
      if (row === undefined || row.type === UNREADABLE) return null;
      const [requeued] = await db
        .update(events)
        .set({ status: 'stored', attempts: 0, problem: null, requeues: sql`${events.requeues} + 1` })
        .where(eq(events.key, row.key))
        .returning();
      return requeued === undefined ? null : toDeliverable(requeued);
    },
    async drop(tenant, id) {
      const row = await newestEvent(db, tenant, id);
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

async function wasConsumed(db: Db, key: string, { tenant, subject, slot }: RunRef): Promise<boolean> {
  const thisOne = sql`${JSON.stringify([key])}::jsonb`;
  const [consumed] = await db
    .select({ tick: ticks.tick })
    .from(ticks)
    .innerJoin(runs, eq(runs.attachment, ticks.attachment))
    .where(
      and(
        ...[eq(runs.tenant, tenant), eq(runs.subject, subject), eq(runs.slot, slot), isNotNull(runs.endedAt)],
        sql`${ticks.events} @> ${thisOne} and not ${runs.unhandled} @> ${thisOne}`,
      ),
    )
    .limit(1);
  return consumed !== undefined;
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

async function markFailed(
  db: Db,
  key: string,
  { problem, isDead }: { readonly problem: string; readonly isDead: boolean },
): ReturnType<Events['markFailed']> {
  const dead = isDead ? sql`true` : sql`${events.attempts} + 1 >= ${DELIVERY_ATTEMPTS}`;
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
}
