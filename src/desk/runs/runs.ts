/** The record of runs: what lists, stats and ended runs are read from. The workflow wins where the two differ. */
import { and, asc, desc, eq, inArray, ne, sql, type SQL } from 'drizzle-orm';
import type { AttachmentId } from '../../domain/ids.ts';
import type { EndReason, RunStatus } from '../../domain/statuses.ts';
import { RUN_STATUSES } from '../../domain/statuses.ts';
import { type Db, isUnchecked, lock, rowsOf } from '../database/database.ts';
import type { ActRecord, Desk, RunFilter, RunRecord, Runs } from '../desk.ts';
import { insertActs } from './acts.ts';
import type { Announce } from '../announcements/announce.ts';
import { attachedFact, endFacts } from '../announcements/facts.ts';
import { followers } from '../fan-out/schema.ts';
import { letGo } from '../conversations/ownership.ts';
import { countRuns, listRuns, toRecord } from './run-lists.ts';
import { prepareRecordTick } from './record-tick.ts';
import { runs } from './schema.ts';
import { latestOf, readTimeline } from './timeline.ts';
import { conversations } from '../schema.ts';

type Row = typeof runs.$inferSelect;

export function createRuns(db: Db, announce: Announce): Desk['runs'] {
  // Built once: every event asks.
  const liveOn = db
    .select()
    .from(runs)
    .where(
      and(
        eq(runs.tenant, sql.placeholder('tenant')),
        eq(runs.subject, sql.placeholder('subject')),
        eq(runs.status, 'IN_PROGRESS'),
      ),
    )
    .orderBy(asc(runs.attachedAt))
    .prepare('live_on');
  return {
    insertIfAbsent: (run, began) =>
      db.transaction(async (tx) => {
        const isNew = { attachment: runs.attachment };
        const inserted = await tx.insert(runs).values(toRow(run)).onConflictDoNothing().returning(isNew);
        if (inserted.length === 0) return false;
        if (began !== undefined) await insertActs(tx, [beginningOf(run, began)]);
        await announce(tx, [attachedFact(run)]);
        return true;
      }),
    recordPrepared: (change) => recordPrepared(db, change),
    recordTick: prepareRecordTick(db),
    async recordHeldUp({ attachment, why }) {
      const isNews = sql`${runs.heldUp} is distinct from ${why}::text`;
      await db
        .update(runs)
        .set({ heldUp: why })
        .where(and(isLive(attachment), isNews));
    },
    recordPhase: (change) => setPhase(db, change),
    recordEnd: ({ run, unhandled }) =>
      db.transaction(async (tx) => {
        await lock(tx, [['subject', run.tenant, run.subject]]);
        const row = { ...toRow(run), phase: null, nextRunAt: null, heldUp: null, unhandled };
        const first = await tx
          .insert(runs)
          .values(row)
          .onConflictDoUpdate({ target: runs.attachment, set: row, setWhere: eq(runs.status, 'IN_PROGRESS') })
          .returning({ attachment: runs.attachment });
        // After the row, which a prepare that is still at it holds: it cannot make an ended run follow anything.
        await tx.delete(followers).where(eq(followers.attachment, row.attachment));
        if (first.length === 0) return false;
        await letGo(tx, run);
        await announce(tx, endFacts({ ...run, nextRunAt: null }));
        return true;
      }),
    async get({ tenant, subject, slot, id }) {
      const [row] = await db
        .select()
        .from(runs)
        .where(
          and(
            eq(runs.tenant, tenant),
            eq(runs.subject, subject),
            eq(runs.slot, slot),
            id === undefined ? undefined : eq(runs.attachment, id as Row['attachment']),
          ),
        )
        // Two within one millisecond: the one that has not ended is the later one.
        .orderBy(desc(runs.attachedAt), desc(sql`${runs.status} = 'IN_PROGRESS'`))
        .limit(1);
      return row === undefined ? null : toRecord(row);
    },
    list: (filter) => listRuns(db, filter),
    counts: (condition) => countRuns(db, condition),
    liveOn: async (tenant, subject) => (await liveOn.execute({ tenant, subject })).map(toRecord),
    async liveBesides(tenant, conversation) {
      const person = db
        .select({ id: conversations.contactId })
        .from(conversations)
        .where(and(eq(conversations.tenant, tenant), eq(conversations.id, conversation)));
      const theirs = db
        .select({ subject: sql`'conversation/' || ${conversations.id}` })
        .from(conversations)
        .where(
          and(
            eq(conversations.tenant, tenant),
            inArray(conversations.contactId, person),
            ne(conversations.id, conversation),
          ),
        );
      const rows = await db
        .select()
        .from(runs)
        .where(and(eq(runs.tenant, tenant), inArray(runs.subject, theirs), eq(runs.status, 'IN_PROGRESS')));
      return rows.map(toRecord);
    },
    async liveUnchecked(limit) {
      return (await uncheckedRuns(db, limit)).map(toRecord);
    },
    timeline: (attachment, page) => readTimeline(db, attachment, page),
    latest: (attachment) => latestOf(db, attachment),
    stats: (tenant) => stats(db, tenant),
  };
}

function beginningOf(run: RunRecord, act: 'attach' | 'handback'): ActRecord {
  const { tenant, subject, slot, id, actor, comment, attachedAt: at } = run;
  return { tenant, subject, slot, attachment: id as AttachmentId, act, actor: actor ?? 'unknown', comment, at };
}

export async function setPhase(db: Db, { attachment, ...change }: Parameters<Runs['recordPhase']>[0]): Promise<void> {
  await db.update(runs).set(change).where(isLive(attachment));
}

/** With what it follows, if it is live: a run that has ended follows nothing. */
async function recordPrepared(
  db: Db,
  { attachment, topics = [], ...resolved }: Parameters<Runs['recordPrepared']>[0],
): Promise<void> {
  const prepared = db.$with('prepared').as(
    db
      .update(runs)
      .set({ ...resolved, heldUp: null })
      .where(isLive(attachment))
      .returning({ tenant: runs.tenant, attachment: runs.attachment }),
  );
  const followed = sql`select ${prepared.tenant}, topic, ${prepared.attachment} from ${prepared}, jsonb_array_elements_text(${JSON.stringify(topics)}::jsonb) as topic`;
  await db.with(prepared).insert(followers).select(followed).onConflictDoNothing();
}

/** The head of `runs_unchecked`, an index of live runs in this order, and as many rows by their key. */
export function uncheckedRuns(db: Db, limit: number) {
  const oldest = db
    .select({ attachment: runs.attachment })
    .from(runs)
    .where(sql`${runs.status} = 'IN_PROGRESS'`)
    .orderBy(sql`${runs.checkedAt} asc nulls first`)
    .limit(limit)
    // Two reconcilers share the work instead of doing it twice.
    .for('update', { skipLocked: true });
  return db
    .update(runs)
    .set({ checkedAt: sql`clock_timestamp()` })
    .where(and(inArray(runs.attachment, oldest), isUnchecked(runs.checkedAt)))
    .returning();
}

async function stats(db: Db, tenant: RunFilter['tenant']): ReturnType<Runs['stats']> {
  const groups = await db
    .select({
      ...{ agent: runs.agent, status: runs.status, reason: runs.reason },
      count: sql<number>`count(*)::int`,
      costUsd: sql<number | null>`sum(${runs.costUsd})`,
    })
    .from(runs)
    .where(eq(runs.tenant, tenant))
    .groupBy(runs.agent, runs.status, runs.reason)
    .orderBy(asc(runs.agent), asc(runs.status));
  const [overdue] = await rowsOf<{ count: number; max_ms: number }>(
    db,
    sql`select count(*)::int as count, greatest(coalesce(max(extract(epoch from now() - ${runs.nextRunAt})), 0), 0)::float8 * 1000 as max_ms from ${runs}
        where ${runs.tenant} = ${tenant} and ${runs.status} = 'IN_PROGRESS' and (${runs.nextRunAt} < now() or ${runs.heldUp} is not null) and ${runs.phase} not in ('paused', 'ending')`,
  );
  const byStatus = Object.fromEntries(RUN_STATUSES.map((status) => [status, 0])) as Record<RunStatus, number>;
  const byReason: Partial<Record<EndReason, number>> = {};
  const byAgent = new Map<string, { agent: Row['agent']; status: RunStatus; count: number }>();
  for (const { agent, status, reason, count } of groups) {
    byStatus[status] += count;
    if (reason !== null) byReason[reason] = (byReason[reason] ?? 0) + count;
    const known = byAgent.get(`${agent} ${status}`);
    byAgent.set(`${agent} ${status}`, { agent, status, count: count + (known?.count ?? 0) });
  }
  const costs = groups.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    byStatus,
    byReason,
    byAgent: [...byAgent.values()],
    costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    overdue: { count: overdue?.count ?? 0, maxMs: Math.round(overdue?.max_ms ?? 0) },
  };
}

function isLive(attachment: Row['attachment']): SQL | undefined {
  return and(eq(runs.attachment, attachment), eq(runs.status, 'IN_PROGRESS'));
}

function toRow({ id, ...run }: RunRecord): typeof runs.$inferInsert {
  return { ...run, attachment: id as Row['attachment'], workflowId: run.workflowId as Row['workflowId'] };
}
