/** Lists of runs, and how many there are of each kind. */
import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNotNull,
  lt,
  lte,
  or,
  sql,
  type Column,
  type SQL,
} from 'drizzle-orm';
import { conversationOf, type ConversationId, type TenantId, type Topic } from '../../domain/ids.ts';
import type { Phase } from '../../domain/statuses.ts';
import { pageOf, readPlace, writeCursor } from '../database/cursors.ts';
import { rowsOf, type Db } from '../database/database.ts';
import type { ListedRun, RunCondition, RunCounts, RunFilter, RunRecord, RunSort } from '../desk.ts';
import { followers } from '../fan-out/schema.ts';
import { lateAfter } from '../ports/runs.ts';
import { ledger } from '../sends/schema.ts';
import { runs } from './schema.ts';
import { contacts, conversations } from '../schema.ts';

type Row = typeof runs.$inferSelect;

/** A stretch of a list that one index gives in order. */
interface Stretch {
  readonly where: SQL | undefined;
  readonly by: typeof runs.attachedAt | typeof runs.nextRunAt | typeof runs.endedAt;
  readonly descending: boolean;
  /** Which runs are in it. */
  readonly of: 'live' | 'ended' | 'all';
}

const LIVE = sql`${runs.status} = 'IN_PROGRESS'`;
const PAUSED = sql`coalesce(${runs.phase}, '') = 'paused'`;
const live = (where: SQL): Stretch => ({
  where: sql`${LIVE} and ${where}`,
  by: runs.nextRunAt,
  descending: false,
  of: 'live',
});

const STRETCHES: Readonly<Record<RunSort, readonly Stretch[]>> = {
  newest: [{ where: undefined, by: runs.attachedAt, descending: true, of: 'all' }],
  due: [live(sql`true`)],
  trouble: [
    live(sql`${runs.failures} > 0`),
    live(sql`${runs.failures} = 0 and not ${PAUSED}`),
    live(sql`${runs.failures} = 0 and ${PAUSED}`),
    { where: isNotNull(runs.endedAt), by: runs.endedAt, descending: true, of: 'ended' },
  ],
};

export async function listRuns(db: Db, { sort, limit, cursor, ...condition }: RunFilter) {
  const stretches = STRETCHES[sort ?? (condition.dueBefore === undefined ? 'newest' : 'due')];
  const [first, at, id] = cursor === undefined ? [0, undefined, undefined] : readPlace(cursor);
  const called = condition.search === undefined ? null : await calledSo(db, condition.tenant, condition.search);
  const found: { readonly row: Row & { costUsd: number | null }; readonly n: number }[] = [];
  for (const [n, stretch] of stretches.entries()) {
    if (n < first || found.length > limit || !concerns(condition, stretch.of)) continue;
    const beyond = n === first && at !== undefined ? isBeyond(stretch, at, id) : undefined;
    const rows = await runsIn(db, condition, { ...stretch, beyond, called }, limit + 1 - found.length);
    found.push(...rows.map((row) => ({ row, n })));
  }
  const names = await contactsOf(
    db,
    condition.tenant,
    found.map(({ row }) => row),
  );
  return pageOf(
    found,
    limit,
    ({ row }): ListedRun => ({
      ...toRecord(row),
      contact: names.get(conversationOf(row.subject)) ?? null,
      costUsd: row.costUsd,
    }),
    ({ row, n }) => writeCursor([n, row[keyOf(stretches[n])] ?? row.attachedAt, row.attachment]),
  );
}

function runsIn(
  db: Db,
  condition: RunCondition,
  stretch: Stretch & { readonly beyond: SQL | undefined; readonly called: readonly string[] | null },
  limit: number,
) {
  const order = stretch.descending ? desc : asc;
  return db
    .select(getTableColumns(runs))
    .from(runs)
    .where(and(matches(condition, stretch.called), stretch.where, stretch.beyond))
    .orderBy(order(stretch.by), order(runs.attachment))
    .limit(limit);
}

export async function countRuns(db: Db, condition: RunCondition): Promise<RunCounts> {
  const { status, reason, phase, agent, agentVersion } = runs;
  const isLive = sql`${LIVE} and`;
  const groups = await db
    .select({
      ...{ status, reason, phase, agent, agentVersion },
      count: sql<number>`count(*)::int`,
      failing: sql<number>`(count(*) filter (where ${isLive} ${runs.failures} > 0))::int`,
      overdue: sql<number>`(count(*) filter (where ${isLive} ${isOverdue()}))::int`,
    })
    .from(runs)
    .where(matches(condition))
    .groupBy(status, reason, phase, agent, agentVersion)
    .orderBy(asc(agent), asc(agentVersion));
  const add = <Key extends string>(to: Partial<Record<Key, number>>, key: Key | null, count: number) => {
    if (key !== null) to[key] = (to[key] ?? 0) + count;
  };
  const byStatus: Partial<Record<Row['status'], number>> = {};
  const byReason: Partial<Record<NonNullable<Row['reason']>, number>> = {};
  const byPhase: Partial<Record<NonNullable<Row['phase']>, number>> = {};
  const agents = new Map<string, RunCounts['agents'][number]>();
  for (const group of groups) {
    add(byStatus, group.status, group.count);
    add(byReason, group.reason, group.count);
    add(byPhase, group.phase, group.count);
    const name = `${group.agent} ${group.agentVersion ?? ''}`;
    const count = group.count + (agents.get(name)?.count ?? 0);
    agents.set(name, { agent: group.agent, version: group.agentVersion, count });
  }
  const sum = (of: 'count' | 'failing' | 'overdue') => groups.reduce((total, group) => total + group[of], 0);
  return {
    ...{ total: sum('count'), failing: sum('failing'), overdue: sum('overdue') },
    ...{ status: byStatus, reason: byReason, phase: byPhase, agents: [...agents.values()] },
  };
}

const LATE = lateIn('asleep');
export const LATE_THINKING = lateIn('thinking');

function lateIn(phase: Phase): SQL {
  return sql.raw(`interval '${lateAfter(phase)} milliseconds'`);
}

/** Due for longer than {@link lateAfter} or held up, and not waiting on purpose. */
function isOverdue(): SQL {
  return sql`(${runs.nextRunAt} < now() - case ${runs.phase} when 'thinking' then ${LATE_THINKING} else ${LATE} end or ${runs.heldUp} is not null) and coalesce(${runs.phase}, '') not in ('paused', 'ending')`;
}

/** A stretch in which nothing can match is not read at all: it would be read to its end. */
function concerns(
  { status, reason, phase, dueBefore, plannedFrom, plannedTo, failing, endedFrom, endedTo }: RunCondition,
  of: Stretch['of'],
): boolean {
  const wantsLive =
    status === 'IN_PROGRESS' ||
    [phase, dueBefore, plannedFrom, plannedTo, failing].some((given) => given !== undefined);
  const wantsEnded =
    (status !== undefined && status !== 'IN_PROGRESS') ||
    [reason, endedFrom, endedTo].some((given) => given !== undefined);
  return !(of === 'live' && wantsEnded) && !(of === 'ended' && wantsLive);
}

/** @param called the conversations of those whom a search means, where they are known already. */
export function matches(condition: RunCondition, called: readonly string[] | null = null): SQL | undefined {
  const { tenant, status, reason, agent, version, phase, subject, slot } = condition;
  const { dueBefore, failing, costAtLeast, endedFrom, endedTo, search, subjectPrefix, topic } = condition;
  return and(
    eq(runs.tenant, tenant),
    status && eq(runs.status, status),
    reason && eq(runs.reason, reason),
    agent && eq(runs.agent, agent),
    version === undefined ? undefined : eq(runs.agentVersion, version),
    phase && eq(runs.phase, phase),
    subject && eq(runs.subject, subject),
    subjectPrefix === undefined ? undefined : sql`starts_with(${runs.subject}, ${subjectPrefix})`,
    slot && eq(runs.slot, slot),
    topic && follows(topic),
    dueBefore === undefined
      ? undefined
      : and(LIVE, lte(runs.nextRunAt, dueBefore), sql`coalesce(${runs.phase}, '') <> 'ending'`),
    isPlanned(condition),
    failing === undefined ? undefined : and(LIVE, failing ? gt(runs.failures, 0) : eq(runs.failures, 0)),
    costAtLeast === undefined ? undefined : gte(runs.costUsd, costAtLeast),
    endedFrom === undefined ? undefined : gte(runs.endedAt, endedFrom),
    endedTo === undefined ? undefined : lt(runs.endedAt, endedTo),
    search === undefined ? undefined : found(tenant, search, called),
  );
}

/** As the calendar counts them: by its wake-up, or by a message of its that waits. */
function isPlanned({ tenant, plannedFrom, plannedTo }: RunCondition): SQL | undefined {
  if (plannedFrom === undefined && plannedTo === undefined) return undefined;
  const within = (at: Column) =>
    and(
      plannedFrom === undefined ? undefined : gte(at, plannedFrom),
      plannedTo === undefined ? undefined : lt(at, plannedTo),
    );
  const wakes = and(within(runs.nextRunAt), sql`coalesce(${runs.phase}, '') not in ('paused', 'ending')`);
  const speaks = sql`${runs.attachment} in (select ${ledger.attachment} from ${ledger} where ${ledger.tenant} = ${tenant} and ${ledger.state} = 'claimed'
    and ${ledger.kind} = 'message.send' and ${within(ledger.dueAt)})`;
  return and(LIVE, or(wakes, speaks));
}

function follows(topic: Topic): SQL {
  return sql`exists (select 1 from ${followers} where ${followers.tenant} = ${runs.tenant} and ${followers.topic} = ${topic} and ${followers.attachment} = ${runs.attachment})`;
}

function found(tenant: TenantId, search: string, called: readonly string[] | null): SQL {
  const theirs =
    called === null
      ? sql`in (${calledLike(tenant, search)})`
      : sql`= any (array(select jsonb_array_elements_text(${JSON.stringify(called)}::jsonb)))`;
  return sql`(strpos(${runs.search}, lower(${search}::text)) > 0 or starts_with(${runs.attachment}, ${search}) or ${runs.subject} ${theirs})`;
}

function calledLike(tenant: TenantId, search: string): SQL {
  return sql`select 'conversation/' || ${conversations.id} as subject from ${contacts} join ${conversations} on ${conversations.contactId} = ${contacts.id}
    where ${contacts.tenant} = ${tenant} and strpos(${contacts.search}, lower(${search}::text)) > 0`;
}

/** So few people that their conversations are looked up once, for all stretches of a list. */
const FEW = 200;

/** Null: they are more than a few. */
async function calledSo(db: Db, tenant: TenantId, search: string): Promise<readonly string[] | null> {
  const rows = await rowsOf<{ subject: string }>(db, sql`${calledLike(tenant, search)} limit ${FEW + 1}`);
  return rows.length > FEW ? null : rows.map(({ subject }) => subject);
}

function isBeyond({ by, descending }: Stretch, at: string, id: string): SQL | undefined {
  const past = descending ? lt : gt;
  return or(past(by, at), and(eq(by, at), past(runs.attachment, id as Row['attachment'])));
}

function keyOf(stretch: Stretch | undefined): 'attachedAt' | 'nextRunAt' | 'endedAt' {
  if (stretch?.by === runs.nextRunAt) return 'nextRunAt';
  return stretch?.by === runs.endedAt ? 'endedAt' : 'attachedAt';
}

async function contactsOf(
  db: Db,
  tenant: TenantId,
  rows: readonly Row[],
): Promise<ReadonlyMap<ConversationId | undefined, { readonly name: string | null }>> {
  const ids = [...new Set(rows.flatMap(({ subject }) => conversationOf(subject) ?? []))];
  if (ids.length === 0) return new Map();
  const named = await db
    .select({ id: conversations.id, name: contacts.name })
    .from(conversations)
    .innerJoin(contacts, eq(contacts.id, conversations.contactId))
    .where(and(eq(conversations.tenant, tenant), inArray(conversations.id, ids)));
  return new Map(named.map(({ id, name }) => [id, { name }]));
}

/** A run that is ending wakes up no more. */
export function toRecord(row: Row): RunRecord {
  const { attachment, tenant, subject, slot, agent, agentVersion, status, reason, phase, actor, comment } = row;
  const { attachedAt, endedAt, ticks: count, failures, workflowId, config, state, policy, topics, heldUp } = row;
  const { nextRunAt, nextRunWhy } = phase === 'ending' ? { nextRunAt: null, nextRunWhy: null } : row;
  return {
    id: attachment,
    ...{ tenant, subject, slot, agent, agentVersion, status, reason, phase, actor, comment },
    ...{ attachedAt, endedAt, nextRunAt, nextRunWhy, ticks: count, failures, workflowId, config, state, policy },
    ...(topics.length === 0 ? {} : { topics }),
    ...(heldUp === null ? {} : { heldUp }),
  };
}
