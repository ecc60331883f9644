/** How facts come in: each is stored once, with all that follows from it, or not at all. */
import { createHash } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import type { Subject } from '../domain/ids.ts';
import { storable } from './columns.ts';
import { type Db, lock, theRow } from './database.ts';
import type { Desk, EventMeaning, IntakeItem, IntakeResult } from './desk.ts';
import { type EventRow, toStoredEvent } from './event-rows.ts';
import { UNREADABLE } from './events.ts';
import { applyConsequences } from './intake/consequences.ts';
import { findPlace, type Place } from './intake/place.ts';
import { MEANS_NOTHING } from './intake/placed.ts';
import { events } from './schema.ts';

export function createIntake(db: Db): Desk['intake'] {
  return {
    store: (item) => db.transaction((tx) => store(tx, { ...item, event: storable(item.event) })),
    async storeUnreadable({ tenant, source, body, problem }) {
      const id = createHash('sha256').update(body).digest('hex');
      await db
        .insert(events)
        .values({ tenant, source, id, type: UNREADABLE, time: sql`now()`, data: { body }, status: 'dead', problem })
        .onConflictDoNothing();
    },
  };
}

async function store(tx: Db, item: IntakeItem): Promise<IntakeResult> {
  const { tenant, event } = item;
  // Copies of one event wait here for the first: the rest may then open a conversation without fear of a twin.
  await lock(tx, [['event', tenant, event.source, event.id]]);
  const [repeated] = await tx
    .select({ key: events.key })
    .from(events)
    .where(and(eq(events.tenant, tenant), eq(events.source, event.source), eq(events.id, event.id)));
  if (repeated !== undefined) return { result: 'duplicate', key: repeated.key };
  const place = await findPlace(tx, item);
  // Before the fact that opened it, so that runs read them in that order.
  const opened = place.opened ? await insertOpened(tx, item, place) : null;
  const meaning = await applyConsequences(tx, item, place);
  const stored = await insertEvent(tx, { ...item.event, tenant, subject: place.subject, meaning });
  return { result: 'accepted', event: toStoredEvent(stored), ...meaning, opened: opened && toStoredEvent(opened) };
}

/** The ref stays out of the event's data: whoever needs the person reads the conversation's contact. */
async function insertOpened(
  tx: Db,
  { tenant, event }: IntakeItem,
  { conversation, subject }: Place,
): Promise<EventRow> {
  return insertEvent(tx, {
    tenant,
    source: 'desk',
    id: `opened:${conversation?.id}`,
    type: 'conversation.opened',
    subject,
    time: event.time,
    data: {},
    meaning: MEANS_NOTHING,
  });
}

interface NewEvent {
  readonly tenant: IntakeItem['tenant'];
  readonly source: string;
  readonly id: string;
  readonly type: string;
  readonly subject: Subject | null;
  readonly time: string;
  readonly data: unknown;
  readonly meaning: EventMeaning;
}

/** The caller holds the subject's lock, so that on one subject `seq` is the order of commits: see {@link Desk.events}. */
async function insertEvent(
  tx: Db,
  { tenant, source, id, type, subject, time, data, meaning }: NewEvent,
): Promise<EventRow> {
  const rows = await tx
    .insert(events)
    .values({
      tenant,
      source,
      id,
      type,
      subject,
      time,
      data: data as EventRow['data'],
      // Our own echo, and a status of a message nobody knows, are for nobody: there is nothing to deliver.
      status: meaning.ownEcho || subject === null ? 'delivered' : 'stored',
      ownEcho: meaning.ownEcho,
      tookOver: meaning.humanTookOver?.cause ?? null,
      tookOverBy: meaning.humanTookOver?.actor ?? null,
      optOut: meaning.optOut,
    })
    .returning();
  return theRow(rows);
}
