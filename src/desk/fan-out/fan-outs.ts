/** Fan-outs as the desk keeps them: what is to be done to whom, how far it has come, and the receipt. */
import { and, asc, desc, eq, gt, lt, sql, type SQL } from 'drizzle-orm';
import { isOver, type BulkTask } from '../../domain/fan-out.ts';
import { pageOf, readAttachment, readOrder, writeCursor } from '../database/cursors.ts';
import { now, theRow, type Db } from '../database/database.ts';
import type { FanOut, FanOutRef, FanOuts } from '../ports/fan-outs.ts';
import { matches, toRecord } from '../runs/run-lists.ts';
import { runs } from '../runs/schema.ts';
import { fanOutRecipients, fanOuts, followers } from './schema.ts';
import { conditionsOf, recipientsOf } from './recipients.ts';
import { settle } from './settle.ts';
import { named, toFanOut } from './rows.ts';
import { pendingOnes, take } from './take.ts';

/** A step takes seconds; a workflow not heard of for this long has vanished (terminated, or Temporal's data lost). */
const VANISHED_MS = 900_000;

export function createFanOuts(db: Db): FanOuts {
  return {
    begin: (order) => db.transaction((tx) => begin(tx, order)),
    async preview({ tenant, filter, sample }) {
      const theirs = matches(conditionsOf({ tenant, filter, at: new Date().toISOString() }));
      const rows = await db.select().from(runs).where(theirs).orderBy(desc(runs.attachedAt)).limit(sample);
      return { total: await countOf(db, theirs), sample: rows.map(toRecord) };
    },
    async get(ref) {
      const [row] = await db.select().from(fanOuts).where(named(ref));
      return row === undefined ? null : toFanOut(row);
    },
    async ofEvent(tenant, event) {
      const [row] = await db
        .select()
        .from(fanOuts)
        .where(and(eq(fanOuts.tenant, tenant), sql`${fanOuts.event}::text = ${event}`))
        .orderBy(desc(fanOuts.seq))
        .limit(1);
      return row === undefined ? null : toFanOut(row);
    },
    async list({ tenant, limit, cursor }) {
      const rows = await db
        .select()
        .from(fanOuts)
        .where(
          and(
            eq(fanOuts.tenant, tenant),
            eq(fanOuts.kind, 'bulk'),
            cursor === undefined ? undefined : lt(fanOuts.seq, readOrder(cursor)),
          ),
        )
        .orderBy(desc(fanOuts.seq))
        .limit(limit + 1);
      const page = pageOf(rows, limit, toFanOut, ({ seq }) => writeCursor(seq));
      return { ...page, items: page.items as FanOut<BulkTask>[] };
    },
    receipt: (query) => receipt(db, query),
    async topics(tenant) {
      return db
        .select({ topic: followers.topic, followers: sql<number>`count(*)::int` })
        .from(followers)
        .where(eq(followers.tenant, tenant))
        .groupBy(followers.topic)
        .orderBy(asc(followers.topic));
    },
    unstarted: ({ olderThanMs, limit }) =>
      db
        .select({ tenant: fanOuts.tenant, id: fanOuts.id })
        .from(fanOuts)
        .where(
          sql`${fanOuts.finishedAt} is null and ${fanOuts.touchedAt} < ${now} - interval '1 millisecond' *
            case when ${fanOuts.startedAt} is null then ${olderThanMs}::float8 else ${VANISHED_MS}::float8 end`,
        )
        .orderBy(asc(fanOuts.touchedAt))
        .limit(limit),
    async markStarted(ref) {
      await db
        .update(fanOuts)
        .set({ startedAt: sql`coalesce(${fanOuts.startedAt}, ${now})`, touchedAt: now })
        .where(named(ref));
    },
    take: (query) => db.transaction((tx) => take(tx, query)),
    settle: (change) => db.transaction((tx) => settle(tx, change)),
    cancel: (ref) => db.transaction((tx) => cancel(tx, ref)),
  };
}

async function begin(tx: Db, { tenant, key, task }: Parameters<FanOuts['begin']>[0]): ReturnType<FanOuts['begin']> {
  const createdAt = new Date().toISOString();
  const total = await countOf(tx, recipientsOf({ tenant, task, createdAt }));
  const isOver = total === 0;
  const [made] = await tx
    .insert(fanOuts)
    .values({
      ...{ tenant, kind: task.kind, key, task, total, createdAt, touchedAt: createdAt },
      event: task.kind === 'topic' ? task.event.id : null,
      state: isOver ? 'done' : 'running',
      ...(isOver ? { finishedAt: createdAt } : {}),
    })
    .onConflictDoNothing()
    .returning();
  if (made !== undefined) return { fanOut: toFanOut(made), isNew: true };
  const first = await tx
    .select()
    .from(fanOuts)
    .where(and(eq(fanOuts.tenant, tenant), eq(fanOuts.kind, task.kind), eq(fanOuts.key, key)));
  return { fanOut: toFanOut(theRow(first)), isNew: false };
}

async function countOf(db: Db, condition: SQL | undefined): Promise<number> {
  const [row] = await db
    .select({ count: sql<number>`count(*)::int` })
    .from(runs)
    .where(condition);
  return row?.count ?? 0;
}

async function receipt(
  db: Db,
  { state, limit, cursor, ...ref }: Parameters<FanOuts['receipt']>[0],
): ReturnType<FanOuts['receipt']> {
  const line = {
    attachment: fanOutRecipients.attachment,
    subject: fanOutRecipients.subject,
    slot: fanOutRecipients.slot,
    state: fanOutRecipients.state,
    reason: fanOutRecipients.reason,
    at: fanOutRecipients.at,
  };
  const rows = await db
    .select(line)
    .from(fanOutRecipients)
    .innerJoin(fanOuts, eq(fanOuts.id, fanOutRecipients.fanOut))
    .where(
      and(
        named(ref),
        state && eq(fanOutRecipients.state, state),
        cursor === undefined ? undefined : gt(fanOutRecipients.attachment, readAttachment(cursor)),
      ),
    )
    .orderBy(asc(fanOutRecipients.attachment))
    .limit(limit + 1);
  return pageOf(
    rows,
    limit,
    (row) => row,
    ({ attachment }) => writeCursor(attachment),
  );
}

async function cancel(tx: Db, ref: FanOutRef): Promise<FanOut | null> {
  const [row] = await tx.select().from(fanOuts).where(named(ref)).for('update');
  if (row === undefined || isOver(row.state)) return row === undefined ? null : toFanOut(row);
  const [pending] = await pendingOnes(tx, row, 1);
  const stopped = await tx
    .update(fanOuts)
    .set({
      exhausted: true,
      touchedAt: now,
      ...(pending === undefined ? { state: 'cancelled', finishedAt: now } : { state: 'stopping' }),
    })
    .where(eq(fanOuts.id, row.id))
    .returning();
  return toFanOut(theRow(stopped));
}
