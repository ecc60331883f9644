/** What happened in a run, from all that is kept of it. */
import { and, desc, eq, gte, isNull, lte, ne, or, sql } from 'drizzle-orm';
import { textOf } from '../domain/contents.ts';
import type { AttachmentId } from '../domain/ids.ts';
import { MessageContent } from '../domain/schemas/events.ts';
import { type TerminalStatus } from '../domain/statuses.ts';
import type { Db } from './database.ts';
import type { TimelineEntry } from './desk.ts';
import { acts, ledger, runs, ticks } from './run-schema.ts';
import { deliveries, events, messages } from './schema.ts';

/** Newest of each kind that a timeline shows: an hourly agent's six weeks, in about a megabyte. */
const SHOWN = 1_000;

type Run = typeof runs.$inferSelect;

export async function readTimeline(db: Db, attachment: AttachmentId): Promise<readonly TimelineEntry[]> {
  const [run] = await db.select().from(runs).where(eq(runs.attachment, attachment));
  if (run === undefined) return [];
  const entries = await Promise.all([
    actEntries(db, run),
    eventEntries(db, run),
    topicEntries(db, run),
    tickEntries(db, run),
    effectEntries(db, run),
  ]);
  return [...entries.flat(), ...endEntry(run)].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/**
 * A wake-up that was overtaken, or ended, just as it had been written down did not count: its events were another's, or
 * nobody's. Told by the events, since each counts once.
 */
async function tickEntries(db: Db, { attachment, unhandled }: Run): Promise<TimelineEntry[]> {
  const rows = await db
    .select()
    .from(ticks)
    .where(eq(ticks.attachment, attachment))
    .orderBy(desc(ticks.tick))
    .limit(SHOWN);
  const taken = new Set(unhandled);
  const counted = rows.filter(({ events: consumed, outcome }) => {
    if (outcome.kind === 'failed') return true;
    if (consumed.some((key) => taken.has(key))) return false;
    for (const key of consumed) taken.add(key);
    return true;
  });
  return counted.map(({ tick, attempt, why, dueAt, startedAt, endedAt, events: consumed, outcome }) => ({
    at: startedAt,
    entry: 'tick',
    ...{ tick, attempt, why, dueAt, startedAt, endedAt, events: consumed, outcome },
  }));
}

/** What happened on the subject while the run lived, and what was delivered to it though older. Statuses and echoes of its own sends are told by the sends. */
async function eventEntries(db: Db, run: Run): Promise<TimelineEntry[]> {
  const delivered = sql`exists (select 1 from ${deliveries} where ${deliveries.eventKey} = ${events.key} and ${deliveries.attachment} = ${run.attachment})`;
  // Announced to the others on the subject; here the act itself tells it.
  const itsOwnTakeover = sql`(${events.type} = 'takeover' and exists (select 1 from ${acts} where ${acts.attachment} = ${run.attachment} and ${acts.act} = 'takeover' and ${acts.at} = ${events.time}))`;
  const inItsTime = and(
    gte(events.time, run.attachedAt),
    run.endedAt === null ? undefined : lte(events.time, run.endedAt),
  );
  const rows = await db
    .select()
    .from(events)
    .where(
      and(
        eq(events.tenant, run.tenant),
        eq(events.subject, run.subject),
        ne(events.type, 'message.status'),
        eq(events.ownEcho, false),
        isNull(events.droppedAt),
        sql`not ${itsOwnTakeover}`,
        or(inItsTime, delivered),
      ),
    )
    .orderBy(desc(events.seq))
    .limit(SHOWN);
  return rows.map(eventEntry);
}

/** What it was told of the topics it follows. */
async function topicEntries(db: Db, { attachment }: Run): Promise<TimelineEntry[]> {
  const rows = await db
    .select({ event: events })
    .from(deliveries)
    .innerJoin(events, eq(events.key, deliveries.eventKey))
    .where(and(eq(deliveries.attachment, attachment), sql`starts_with(${events.subject}, 'topic/')`))
    .orderBy(desc(events.seq))
    .limit(SHOWN);
  return rows.map(({ event }) => eventEntry(event));
}

function eventEntry({ id, type, time, stale, data }: typeof events.$inferSelect): TimelineEntry {
  return { at: time, entry: 'event', id, type, stale, text: textIn(data) };
}

async function effectEntries(db: Db, { attachment }: Run): Promise<TimelineEntry[]> {
  const rows = await db
    .select({ row: ledger, status: messages.status })
    .from(ledger)
    .leftJoin(messages, eq(messages.effectKey, ledger.key))
    .where(eq(ledger.attachment, attachment))
    .orderBy(desc(ledger.claimedAt))
    .limit(SHOWN);
  return rows.map(({ row: { key, kind, state, reason, dueAt, effect, sentAt, claimedAt }, status }) => ({
    at: sentAt ?? claimedAt,
    entry: 'effect',
    key,
    kind,
    state,
    reason,
    dueAt,
    text: 'text' in effect ? (effect.text ?? null) : 'note' in effect ? effect.note : null,
    status,
  }));
}

/** Acts that name this attachment, or name none and came since it began; after its end they were too late. */
async function actEntries(db: Db, run: Run): Promise<TimelineEntry[]> {
  const rows = await db
    .select()
    .from(acts)
    .where(
      and(
        eq(acts.tenant, run.tenant),
        eq(acts.subject, run.subject),
        or(isNull(acts.slot), eq(acts.slot, run.slot)),
        or(
          eq(acts.attachment, run.attachment),
          and(
            isNull(acts.attachment),
            gte(acts.at, run.attachedAt),
            run.endedAt === null ? undefined : lte(acts.at, run.endedAt),
          ),
        ),
      ),
    )
    .orderBy(desc(acts.id))
    .limit(SHOWN);
  return rows.reverse().map(({ at, act, actor, comment }) => ({
    at,
    entry: 'act',
    act,
    actor,
    comment,
    stale: run.endedAt !== null && at > run.endedAt,
  }));
}

function endEntry({ status, reason, endedAt, actor, comment }: Run): TimelineEntry[] {
  if (status === 'IN_PROGRESS' || reason === null || endedAt === null) return [];
  return [{ at: endedAt, entry: 'end', status: status satisfies TerminalStatus, reason, actor, comment }];
}

function textIn(data: unknown): string | null {
  if (typeof data !== 'object' || data === null || !('content' in data)) return null;
  const content = MessageContent.safeParse(data.content);
  return content.success ? textOf(content.data) : null;
}
