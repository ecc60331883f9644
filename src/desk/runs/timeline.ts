/** What happened in a run, from all that is kept of it. */
import { and, desc, eq, gte, isNull, lte, ne, or, sql } from 'drizzle-orm';
import { textOf } from '../../domain/contents.ts';
import type { AttachmentId } from '../../domain/ids.ts';
import type { LatestOfRun } from '../../domain/next-wake.ts';
import { MessageContent } from '../../domain/schemas/events.ts';
import { type TerminalStatus } from '../../domain/statuses.ts';
import type { Db } from '../database/database.ts';
import { pageOf, readPosition, writeCursor } from '../database/cursors.ts';
import type { Page, TimelineEntry } from '../desk.ts';
import { isHandOffOf } from '../conversations/ownership.ts';
import { acts, runs, ticks } from './schema.ts';
import { ledger } from '../sends/schema.ts';
import { deliveries, events, messages } from '../schema.ts';

/** Entries of a page, if nothing else is asked: an hourly agent's six weeks, in about a megabyte. */
const SHOWN = 1_000;
/** Wake-ups and acts that explain a due time: a few failures, and what was asked for before them. */
const LATEST = 20;

type Run = typeof runs.$inferSelect;

/** The stretch of a page: nothing newer than `before`, and one more than fits. */
interface Stretch {
  readonly before: string | null;
  readonly limit: number;
}

/** The newest page first, each oldest first. */
export async function readTimeline(
  db: Db,
  attachment: AttachmentId,
  { limit = SHOWN, cursor }: { readonly limit?: number; readonly cursor?: string } = {},
): Promise<Page<TimelineEntry>> {
  const [run] = await db.select().from(runs).where(eq(runs.attachment, attachment));
  if (run === undefined) return { items: [], nextCursor: null };
  const [at, entryId] = cursor === undefined ? [null, ''] : readPosition(cursor);
  // Entries of one instant may lie on both sides of a page's edge, and are read again for the next.
  const stretch: Stretch = { before: at, limit: limit + 1 + SAME_INSTANT };
  const found = await Promise.all([
    actEntries(db, run, stretch),
    eventEntries(db, run, stretch),
    topicEntries(db, run, stretch),
    tickEntries(db, run, stretch),
    effectEntries(db, run, stretch),
  ]);
  const isOlder = (one: TimelineEntry) => at === null || newestFirst({ at, entryId }, one) < 0;
  const newest = [...found.flat(), ...endEntry(run)].filter(isOlder).sort(newestFirst);
  const page = pageOf(
    newest.slice(0, limit + 1),
    limit,
    (entry) => entry,
    (entry) => writeCursor([entry.at, entry.entryId]),
  );
  return { items: page.items.reverse(), nextCursor: page.nextCursor };
}

/** As many entries of a run as can share one millisecond: the effects of a wake-up. */
const SAME_INSTANT = 100;

/** What happens in one instant happens in this order: an act, what is told, the wake-up, what it does, the end. */
const IN_ORDER = ['act', 'event', 'tick', 'effect', 'end'];
const byNumber = new Intl.Collator('en', { numeric: true });
type Place = Pick<TimelineEntry, 'at' | 'entryId'>;

function newestFirst(a: Place, b: Place): number {
  if (a.at !== b.at) return a.at < b.at ? 1 : -1;
  return rankOf(b) - rankOf(a) || byNumber.compare(b.entryId, a.entryId);
}

function rankOf({ entryId }: Place): number {
  return IN_ORDER.indexOf(entryId.split('-')[0] ?? '');
}

export async function latestOf(db: Db, attachment: AttachmentId): Promise<LatestOfRun> {
  const [newest, asked, [run]] = await Promise.all([
    db
      .select({ endedAt: ticks.endedAt, outcome: ticks.outcome })
      .from(ticks)
      .where(eq(ticks.attachment, attachment))
      .orderBy(desc(ticks.tick))
      .limit(LATEST),
    db
      .select({ act: acts.act, actor: acts.actor, comment: acts.comment, at: acts.at })
      .from(acts)
      .where(eq(acts.attachment, attachment))
      .orderBy(desc(acts.id))
      .limit(LATEST),
    db.select({ heldUp: runs.heldUp }).from(runs).where(eq(runs.attachment, attachment)),
  ]);
  return { ticks: newest, acts: asked, heldUp: run?.heldUp ?? null };
}

/**
 * A wake-up that was overtaken, or ended, just as it had been written down did not count: its events were another's, or
 * nobody's. Told by the events, since each counts once.
 */
async function tickEntries(
  db: Db,
  { attachment, unhandled }: Run,
  { before, limit }: Stretch,
): Promise<TimelineEntry[]> {
  const rows = await db
    .select()
    .from(ticks)
    .where(eq(ticks.attachment, attachment))
    .orderBy(desc(ticks.tick))
    .limit(before === null ? limit : EVERY);
  const taken = new Set(unhandled);
  const counted = rows.filter(({ events: consumed, outcome }) => {
    if (outcome.kind === 'failed') return true;
    if (consumed.some((key) => taken.has(key))) return false;
    for (const key of consumed) taken.add(key);
    return true;
  });
  const shown = counted.filter(({ startedAt }) => before === null || startedAt <= before).slice(0, limit);
  return shown.map(({ tick, attempt, why, dueAt, startedAt, endedAt, events: consumed, outcome }) => ({
    at: startedAt,
    entryId: `tick-${tick}`,
    entry: 'tick',
    tokens: null,
    cost: null,
    ...{ tick, attempt, why, dueAt, startedAt, endedAt, events: consumed, outcome },
  }));
}

/** Newer wake-ups say which events are taken: an older page reads those too. */
const EVERY = 100_000;

/** What happened on the subject while the run lived, and what was delivered to it though older. Statuses and echoes of its own sends are told by the sends. */
async function eventEntries(db: Db, run: Run, { before, limit }: Stretch): Promise<TimelineEntry[]> {
  const delivered = sql`exists (select 1 from ${deliveries} where ${deliveries.eventKey} = ${events.key} and ${deliveries.attachment} = ${run.attachment})`;
  // Announced to the others on the subject; here the act or the effect itself tells it.
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
        sql`not ${isHandOffOf(run.attachment)}`,
        or(inItsTime, delivered),
        before === null ? undefined : lte(events.time, before),
      ),
    )
    .orderBy(desc(events.time), desc(events.seq))
    .limit(limit);
  return rows.map(eventEntry);
}

/** What it was told of the topics it follows. */
async function topicEntries(db: Db, { attachment }: Run, { before, limit }: Stretch): Promise<TimelineEntry[]> {
  const rows = await db
    .select({ event: events })
    .from(deliveries)
    .innerJoin(events, eq(events.key, deliveries.eventKey))
    .where(
      and(
        eq(deliveries.attachment, attachment),
        sql`starts_with(${events.subject}, 'topic/')`,
        before === null ? undefined : lte(events.time, before),
      ),
    )
    .orderBy(desc(events.time), desc(events.seq))
    .limit(limit);
  return rows.map(({ event }) => eventEntry(event));
}

function eventEntry({ seq, id, type, time, stale, data }: typeof events.$inferSelect): TimelineEntry {
  const told = { text: textIn(data), author: wordIn(data, 'author'), by: wordIn(data, 'by') };
  return { at: time, entryId: `event-${seq}`, entry: 'event', id, type, stale, ...told };
}

async function effectEntries(db: Db, { attachment }: Run, { before, limit }: Stretch): Promise<TimelineEntry[]> {
  const shownAt = sql`coalesce(${ledger.sentAt}, ${ledger.claimedAt})`;
  const rows = await db
    .select({
      row: ledger,
      ...{ status: messages.status, deliveredAt: messages.deliveredAt, readAt: messages.readAt, error: messages.error },
    })
    .from(ledger)
    .leftJoin(messages, eq(messages.effectKey, ledger.key))
    .where(
      and(
        eq(ledger.attachment, attachment),
        before === null ? undefined : sql`${shownAt} <= ${sql.param(before, ledger.claimedAt)}`,
      ),
    )
    .orderBy(desc(shownAt))
    .limit(limit);
  return rows.map(({ row: { key, kind, state, reason, dueAt, effect, sentAt, claimedAt }, ...message }) => ({
    at: sentAt ?? claimedAt,
    entryId: `effect-${key.split(':').slice(-2).join('-')}`,
    entry: 'effect',
    key,
    kind,
    state,
    reason,
    dueAt,
    text: 'text' in effect ? (effect.text ?? null) : 'note' in effect ? effect.note : null,
    ...{ claimedAt, sentAt },
    ...message,
  }));
}

/** Acts that name this attachment, or name none and came since it began; after its end they were too late. */
async function actEntries(db: Db, run: Run, { before, limit }: Stretch): Promise<TimelineEntry[]> {
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
        before === null ? undefined : lte(acts.at, before),
      ),
    )
    .orderBy(desc(acts.at), desc(acts.id))
    .limit(limit);
  return rows.map(({ id, at, act, actor, comment }) => ({
    at,
    entryId: `act-${id}`,
    entry: 'act',
    act,
    actor,
    comment,
    stale: run.endedAt !== null && at > run.endedAt,
  }));
}

function endEntry({ status, reason, endedAt, actor, comment }: Run): TimelineEntry[] {
  if (status === 'IN_PROGRESS' || reason === null || endedAt === null) return [];
  return [
    { at: endedAt, entryId: 'end', entry: 'end', status: status satisfies TerminalStatus, reason, actor, comment },
  ];
}

function wordIn(data: unknown, name: 'author' | 'by'): string | null {
  if (typeof data !== 'object' || data === null) return null;
  const value: unknown = Object.entries(data).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : null;
}

function textIn(data: unknown): string | null {
  if (typeof data !== 'object' || data === null || !('content' in data)) return null;
  const content = MessageContent.safeParse(data.content);
  return content.success ? textOf(content.data) : null;
}
