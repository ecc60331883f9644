/** Outgoing webhooks as the desk keeps them: what is to be told to whom, and what became of it. */
import { and, asc, desc, eq, inArray, lt, sql, type SQL } from 'drizzle-orm';
import { pageOf, readOrder, writeCursor } from '../database/cursors.ts';
import { isKey, keyBegins } from '../database/columns.ts';
import { now, type Db } from '../database/database.ts';
import type { DeliveryRound, Outbox, WebhookDelivery } from '../ports/outbox.ts';
import { webhookAttempts, webhookDeliveries, webhookEndpointsOff } from './schema.ts';

type Row = typeof webhookDeliveries.$inferSelect;

/** A process that took a delivery and has not started it within this has died. */
const CLAIM_S = 10;
/** An attempt takes half a minute; a workflow that is later than this has vanished (terminated, or Temporal's data lost). */
const VANISHED_S = 900;

export function createOutbox(db: Db): Outbox {
  return {
    get: (tenant, id) => getDelivery(db, tenant, id),
    list: (filter) => listDeliveries(db, filter),
    takeUnstarted: (limit) => takeUnstarted(db, limit),
    async markStarted(of) {
      await db.update(webhookDeliveries).set({ startedAt: now }).where(inRound(of));
    },
    recordAttempt: (of) => db.transaction((tx) => recordAttempt(tx, of)),
    async settle({ state, reason, ...of }) {
      await db
        .update(webhookDeliveries)
        .set({ state, lastError: reason, nextAttemptAt: null, finishedAt: now })
        .where(inRound(of));
    },
    async redeliver(tenant, id) {
      const [row] = await db.update(webhookDeliveries).set(nextRound()).where(named(tenant, id)).returning();
      return row === undefined ? null : toDelivery(row);
    },
    endpointsOff: (tenant) =>
      db
        .select({
          endpoint: webhookEndpointsOff.endpoint,
          since: webhookEndpointsOff.since,
          by: webhookEndpointsOff.by,
          reason: webhookEndpointsOff.reason,
        })
        .from(webhookEndpointsOff)
        .where(eq(webhookEndpointsOff.tenant, tenant))
        .orderBy(asc(webhookEndpointsOff.endpoint)),
    async switchOff(off) {
      await db.insert(webhookEndpointsOff).values(off).onConflictDoNothing();
    },
    switchOn: (endpoint) => db.transaction((tx) => switchOn(tx, endpoint)),
  };
}

async function getDelivery(db: Db, tenant: Row['tenant'], id: string): ReturnType<Outbox['get']> {
  const [row] = await db.select().from(webhookDeliveries).where(named(tenant, id));
  if (row === undefined) return null;
  const log = await db
    .select()
    .from(webhookAttempts)
    .where(eq(webhookAttempts.delivery, id))
    .orderBy(asc(webhookAttempts.number));
  return {
    ...toDelivery(row),
    round: row.round,
    body: row.body,
    log: log.map(({ number, at, durationMs, status, error }) => ({ number, at, durationMs, status, error })),
  };
}

async function listDeliveries(
  db: Db,
  { tenant, status, endpoint, beginning, limit, cursor }: Parameters<Outbox['list']>[0],
): ReturnType<Outbox['list']> {
  const rows = await db
    .select()
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.tenant, tenant),
        status && eq(webhookDeliveries.state, status),
        endpoint === undefined ? undefined : eq(webhookDeliveries.endpoint, endpoint),
        beginning === undefined ? undefined : keyBegins(webhookDeliveries.id, beginning),
        cursor === undefined ? undefined : lt(webhookDeliveries.seq, readOrder(cursor)),
      ),
    )
    .orderBy(desc(webhookDeliveries.seq))
    .limit(limit + 1);
  return pageOf(rows, limit, toDelivery, ({ seq }) => writeCursor(seq));
}

async function takeUnstarted(db: Db, limit: number): ReturnType<Outbox['takeUnstarted']> {
  const unstarted = db
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(
      sql`${webhookDeliveries.state} = 'pending' and case when ${webhookDeliveries.startedAt} is null
        then coalesce(${webhookDeliveries.claimedAt} < ${now} - ${CLAIM_S}::float8 * interval '1 second', true)
        else greatest(${webhookDeliveries.startedAt}, ${webhookDeliveries.nextAttemptAt}, ${webhookDeliveries.claimedAt}) < ${now} - ${VANISHED_S}::float8 * interval '1 second' end`,
    )
    .orderBy(asc(webhookDeliveries.seq))
    .limit(limit)
    // Two servers share the work instead of doing it twice.
    .for('update', { skipLocked: true });
  const taken = await db
    .update(webhookDeliveries)
    .set({ claimedAt: now })
    .where(inArray(webhookDeliveries.id, unstarted))
    .returning();
  return taken.map(({ tenant, id, round, startedAt }) => ({ tenant, id, round, isNew: startedAt === null }));
}

async function recordAttempt(tx: Db, { attempt, then, ...of }: Parameters<Outbox['recordAttempt']>[0]): Promise<void> {
  const isOver = then.state !== 'pending';
  const [row] = await tx
    .update(webhookDeliveries)
    .set({
      state: then.state,
      attempts: sql`${webhookDeliveries.attempts} + 1`,
      lastStatus: attempt.status,
      lastError: attempt.error,
      nextAttemptAt: then.state === 'pending' ? then.nextAttemptAt : null,
      ...(isOver ? { finishedAt: now } : {}),
    })
    .where(inRound(of))
    .returning();
  if (row === undefined) return;
  await tx.insert(webhookAttempts).values({ delivery: row.id, number: row.attempts, ...attempt });
  if (then.state === 'held')
    await tx
      .insert(webhookEndpointsOff)
      .values({ tenant: row.tenant, endpoint: row.endpoint, by: 'endpoint', reason: 'answered 410 Gone' })
      .onConflictDoNothing();
}

async function switchOn(
  tx: Db,
  { tenant, endpoint, redeliverHeld }: Parameters<Outbox['switchOn']>[0],
): Promise<number> {
  await tx
    .delete(webhookEndpointsOff)
    .where(and(eq(webhookEndpointsOff.tenant, tenant), eq(webhookEndpointsOff.endpoint, endpoint)));
  if (!redeliverHeld) return 0;
  const sent = await tx
    .update(webhookDeliveries)
    .set(nextRound())
    .where(
      and(
        eq(webhookDeliveries.tenant, tenant),
        eq(webhookDeliveries.endpoint, endpoint),
        eq(webhookDeliveries.state, 'held'),
      ),
    )
    .returning({ id: webhookDeliveries.id });
  return sent.length;
}

function nextRound() {
  const fresh = { claimedAt: null, startedAt: null, nextAttemptAt: null, finishedAt: null };
  return { ...fresh, state: 'pending' as const, round: sql`${webhookDeliveries.round} + 1` };
}

function named(tenant: Row['tenant'], id: string): SQL | undefined {
  return isKey(id) ? and(eq(webhookDeliveries.tenant, tenant), eq(webhookDeliveries.id, id)) : sql`false`;
}

function inRound({ tenant, id, round }: DeliveryRound): SQL | undefined {
  return and(named(tenant, id), eq(webhookDeliveries.round, round), eq(webhookDeliveries.state, 'pending'));
}

function toDelivery(row: Row): WebhookDelivery {
  const { id, tenant, endpoint, type, subject, state, attempts, lastStatus, lastError } = row;
  const { createdAt, nextAttemptAt, finishedAt } = row;
  return {
    ...{ id, tenant, endpoint, type, subject, state, attempts, lastStatus, lastError },
    ...{ createdAt, nextAttemptAt, finishedAt },
  };
}
