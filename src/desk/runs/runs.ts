/** The record of runs, read: what lists, stats and ended runs are shown from. The workflow wins where the two differ. */
import { and, asc, desc, eq, inArray, ne, sql } from 'drizzle-orm';
import type { ConversationId, TenantId } from '../../domain/ids.ts';
import { RUN_STATUSES, type EndReason, type RunStatus } from '../../domain/statuses.ts';
import { type Db, isUnchecked, rowsOf } from '../database/database.ts';
import type { Runs } from '../desk.ts';
import type { Announce } from '../announcements/announce.ts';
import { countRuns, LATE_THINKING, listRuns, toRecord } from './run-lists.ts';
import { createRunWrites } from './record-run.ts';
import { runs } from './schema.ts';
import { latestOf, readTimeline } from './timeline.ts';
import { conversations } from '../schema.ts';

type Row = typeof runs.$inferSelect;

export function createRuns(db: Db, announce: Announce): Runs {
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
    ...createRunWrites(db, announce),
    get: (ref) => getRun(db, ref),
    list: (filter) => listRuns(db, filter),
    counts: (condition) => countRuns(db, condition),
    liveOn: async (tenant, subject) => (await liveOn.execute({ tenant, subject })).map(toRecord),
    liveBesides: async (tenant, conversation) => (await liveBesides(db, tenant, conversation)).map(toRecord),
    liveUnchecked: async (limit) => (await uncheckedRuns(db, limit)).map(toRecord),
    timeline: (attachment, page) => readTimeline(db, attachment, page),
    latest: (attachment) => latestOf(db, attachment),
    stats: (tenant) => stats(db, tenant),
  };
}

async function getRun(db: Db, { tenant, subject, slot, id }: Parameters<Runs['get']>[0]): ReturnType<Runs['get']> {
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
}

function liveBesides(db: Db, tenant: TenantId, conversation: ConversationId): Promise<Row[]> {
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
  return db
    .select()
    .from(runs)
    .where(and(eq(runs.tenant, tenant), inArray(runs.subject, theirs), eq(runs.status, 'IN_PROGRESS')));
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

async function stats(db: Db, tenant: TenantId): ReturnType<Runs['stats']> {
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
        where ${runs.tenant} = ${tenant} and ${runs.status} = 'IN_PROGRESS' and (${runs.nextRunAt} < now() or ${runs.heldUp} is not null) and ${runs.phase} not in ('paused', 'ending')
        and (${runs.phase} <> 'thinking' or ${runs.nextRunAt} < now() - ${LATE_THINKING})`,
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
