/** What people look at: how runs ended, what the week ahead holds, how agents and channels are. */
import { and, asc, desc, eq, gte, isNotNull, isNull, lt, or, sql, type SQL } from 'drizzle-orm';
import type { AgentKey, ConversationId } from '../../domain/ids.ts';
import { pageOf, readPosition, writeCursor } from '../database/cursors.ts';
import { type Db, rowsOf, theRow } from '../database/database.ts';
import type { CalendarHour, ChannelHealth, OutcomeGroup, OutcomeQuery, Reports } from '../ports/reports.ts';
import { ledger } from '../sends/schema.ts';
import { runs, ticks } from './schema.ts';
import { contacts, conversations, deliveries, events } from '../schema.ts';

export function createReports(db: Db): Reports {
  return {
    outcomes({ by, zone, ...query }) {
      const group = groupOf(by, zone);
      const { status, reason } = runs;
      return db
        .select({
          ...{ group, status, reason },
          count: sql<number>`count(*)::int`,
          ticks: sql<number>`coalesce(sum(${runs.ticks}), 0)::int`,
          costUsd: sql<number | null>`sum(${runs.costUsd})`,
        })
        .from(runs)
        .where(and(ofAgent(query), endedIn(query)))
        .groupBy(sql`1`, status, reason)
        .orderBy(sql`1`, status, reason);
    },
    async funnel(query) {
      const spoke = sql`exists (select 1 from ${ledger} where ${ledger.attachment} = ${runs.attachment} and ${ledger.kind} = 'message.send' and ${ledger.state} = 'sent')`;
      const answered = sql`exists (select 1 from ${deliveries} join ${events} on ${events.key} = ${deliveries.eventKey}
        where ${deliveries.attachment} = ${runs.attachment} and ${events.type} = 'message.inbound' and ${events.time} >= ${runs.attachedAt})`;
      const succeeded = sql`(${runs.status} = 'COMPLETED' or ${runs.reason} = 'customer_replied')`;
      const many = (condition?: SQL) =>
        condition === undefined ? sql<number>`count(*)::int` : sql<number>`(count(*) filter (where ${condition}))::int`;
      const rows = await db
        .select({
          attached: many(),
          woke: many(sql`${runs.ticks} > 0`),
          spoke: many(spoke),
          answered: many(answered),
          succeeded: many(succeeded),
        })
        .from(runs)
        .where(and(ofAgent(query), gte(runs.attachedAt, query.from), lt(runs.attachedAt, query.to)));
      return theRow(rows);
    },
    async lag(query) {
      const late = sql`extract(epoch from ${ticks.startedAt} - ${ticks.dueAt}) * 1000`;
      const percentile = (of: number) =>
        sql<number | null>`round(percentile_cont(${of}::float8) within group (order by ${late}::float8))::float8`;
      const rows = await db
        .select({ count: sql<number>`count(*)::int`, p50Ms: percentile(0.5), p99Ms: percentile(0.99) })
        .from(ticks)
        .innerJoin(runs, eq(runs.attachment, ticks.attachment))
        .where(
          and(ofAgent(query), eq(ticks.why, 'due'), gte(ticks.startedAt, query.from), lt(ticks.startedAt, query.to)),
        );
      return theRow(rows);
    },
    calendar: (query) => calendar(db, query),
    agents(tenant) {
      const { agent, agentVersion: version, status } = runs;
      return db
        .select({ agent, version, status, count: sql<number>`count(*)::int` })
        .from(runs)
        .where(eq(runs.tenant, tenant))
        .groupBy(agent, version, status)
        .orderBy(asc(agent), desc(version));
    },
    channels: (tenant) => channelHealth(db, tenant),
    conversations: (query) => listConversations(db, query),
  };
}

function ofAgent({ tenant, agent, version }: OutcomeQuery): SQL | undefined {
  return and(
    eq(runs.tenant, tenant),
    agent === undefined ? undefined : eq(runs.agent, agent),
    version === undefined ? undefined : eq(runs.agentVersion, version),
  );
}

function endedIn({ from, to }: OutcomeQuery): SQL | undefined {
  return and(isNotNull(runs.endedAt), gte(runs.endedAt, from), lt(runs.endedAt, to));
}

function groupOf(by: OutcomeGroup, zone: string): SQL<string> {
  switch (by) {
    case 'day':
      return sql`to_char(${runs.endedAt} at time zone ${zone}::text, 'YYYY-MM-DD')`;
    case 'agent':
      return sql`${runs.agent}`;
    case 'version':
      return sql`${runs.agent} || '@' || coalesce(${runs.agentVersion}::text, '?')`;
    case 'status':
      return sql`${runs.status}`;
    case 'reason':
      return sql`coalesce(${runs.reason}, '')`;
  }
}

async function calendar(
  db: Db,
  { tenant, until, zone }: Parameters<Reports['calendar']>[0],
): Promise<readonly CalendarHour[]> {
  const hour = (at: SQL) => sql`date_trunc('hour', greatest(${at}, now()), ${zone}::text)`;
  const rows = await rowsOf<{ at: number; agent: AgentKey; wake_ups: number; sends: number }>(
    db,
    sql`select extract(epoch from hour)::float8 * 1000 as at, agent, sum(wake_up)::int as wake_ups, sum(send)::int as sends from (
          select ${hour(sql`${runs.nextRunAt}`)} as hour, ${runs.agent} as agent, 1 as wake_up, 0 as send from ${runs}
            where ${runs.tenant} = ${tenant} and ${runs.status} = 'IN_PROGRESS' and ${runs.nextRunAt} < ${until}::timestamptz and coalesce(${runs.phase}, '') not in ('paused', 'ending')
          union all
          select ${hour(sql`${ledger.dueAt}`)}, ${runs.agent}, 0, 1 from ${ledger} join ${runs} on ${runs.attachment} = ${ledger.attachment}
            where ${ledger.tenant} = ${tenant} and ${ledger.state} = 'claimed' and ${ledger.dueAt} < ${until}::timestamptz and ${ledger.kind} = 'message.send' and ${runs.status} = 'IN_PROGRESS'
        ) as planned group by hour, agent order by hour, agent`,
  );
  return rows.map(({ at, agent, wake_ups: wakeUps, sends }) => ({
    at: new Date(at).toISOString(),
    ...{ agent, wakeUps, sends },
  }));
}

async function channelHealth(db: Db, tenant: string): Promise<readonly ChannelHealth[]> {
  const rows = await rowsOf<{
    channel: string;
    last_in: number | null;
    last_out: number | null;
    sent: number;
    failed: number;
  }>(
    db,
    sql`select c.channel, max(extract(epoch from c.last_inbound_at))::float8 * 1000 as last_in, max(extract(epoch from c.last_outbound_at))::float8 * 1000 as last_out,
          coalesce(sum(l.sent), 0)::int as sent, coalesce(sum(l.failed), 0)::int as failed
        from ${conversations} c left join (
          select subject, count(*) filter (where state = 'sent') as sent, count(*) filter (where state in ('failed', 'unknown')) as failed
          from ${ledger} where tenant = ${tenant} and changed_at >= now() - interval '24 hours' and kind = 'message.send' group by subject
        ) l on l.subject = 'conversation/' || c.id
        where c.tenant = ${tenant} and c.channel is not null group by c.channel`,
  );
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return rows.map(({ channel, last_in, last_out, sent, failed }) => ({
    ...{ channel, sent, failed, lastInboundAt: iso(last_in), lastOutboundAt: iso(last_out) },
  }));
}

async function listConversations(
  db: Db,
  { tenant, owner, open, search, limit, cursor }: Parameters<Reports['conversations']>[0],
) {
  const rows = await db
    .select({
      id: conversations.id,
      channel: conversations.channel,
      owner: conversations.owner,
      ownerBy: conversations.ownerBy,
      ownerSince: conversations.ownerSince,
      openedAt: conversations.openedAt,
      closedAt: conversations.closedAt,
      lastInboundAt: conversations.lastInboundAt,
      lastOutboundAt: conversations.lastOutboundAt,
      contact: { id: contacts.id, name: contacts.name },
    })
    .from(conversations)
    .leftJoin(contacts, eq(contacts.id, conversations.contactId))
    .where(
      and(
        eq(conversations.tenant, tenant),
        owner && eq(conversations.owner, owner),
        open === undefined ? undefined : open ? isNull(conversations.closedAt) : isNotNull(conversations.closedAt),
        search === undefined ? undefined : isCalled(search),
        cursor === undefined ? undefined : isOlder(cursor),
      ),
    )
    .orderBy(desc(conversations.openedAt), desc(conversations.id))
    .limit(limit + 1);
  return pageOf(
    rows,
    limit,
    ({ contact, ...row }) => ({ ...row, contact: contact && { name: contact.name } }),
    ({ openedAt, id }) => writeCursor([openedAt, id]),
  );
}

function isCalled(search: string): SQL {
  const words = sql`lower(${search}::text)`;
  return sql`(strpos(lower(${conversations.id}), ${words}) > 0 or strpos(${contacts.search}, ${words}) > 0)`;
}

function isOlder(cursor: string): SQL | undefined {
  const [at, id] = readPosition(cursor);
  return or(
    lt(conversations.openedAt, at),
    and(eq(conversations.openedAt, at), lt(conversations.id, id as ConversationId)),
  );
}
