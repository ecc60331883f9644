/** How facts come in: each is stored once, with all that follows from it, or not at all. */
import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { EventSubject } from '../../domain/ids.ts';
import { storable } from '../../domain/storable.ts';
import { happenedBy } from '../../domain/told-times.ts';
import { type Db, theRow } from '../database/database.ts';
import type { Desk, EventMeaning, IntakeItem, IntakeResult } from '../desk.ts';
import { type EventRow, toStoredEvent, UNREADABLE } from '../events/event-rows.ts';
import type { TellFailed } from '../sends/ledger.ts';
import { Changes } from './changes.ts';
import { applyConsequences } from './consequences.ts';
import { findPlace, findPlaceAlone, guessPlace, type Guess, type Place } from './place.ts';
import { MEANS_NOTHING } from './placed.ts';
import { events } from '../schema.ts';

/**
 * @param options.isAlone one transaction at a time: the database is this process's own, and has but one connection.
 * @param options.clock ms since 1970. Every later comparison rests on the time that is stored, so none is ahead of it: else a
 * provider's clock that is hours fast would have a human hold a conversation against whoever attaches next, or a START outlast
 * the STOP after it.
 */
export function createIntake(
  db: Db,
  {
    isAlone,
    tellFailed,
    clock,
  }: { readonly isAlone: boolean; readonly tellFailed: TellFailed; readonly clock: () => number },
): Desk['intake'] {
  const storeOne = isAlone ? storeAlone : store;
  return {
    store: ({ event, ...item }) =>
      storeOne(db, { ...item, event: storable({ ...event, time: happenedBy(clock(), event.time) }) }, tellFailed),
    async storeUnreadable({ tenant, source, body, problem, seal = null }) {
      // By whom too: else whoever signs for one channel could take the place of what another's secret vouches for.
      const id = createHash('sha256').update(`${seal}\n${body}`).digest('hex');
      const letter = { type: UNREADABLE, data: { body }, seal, status: 'dead', problem } as const;
      await db
        .insert(events)
        .values({ tenant, source, id, time: sql`now()`, ...letter })
        .onConflictDoNothing();
    },
  };
}

async function store(db: Db, item: IntakeItem, tellFailed: TellFailed): Promise<IntakeResult> {
  for (;;) {
    const guess = await guessPlace(db, item);
    // A provider's repeat: no lock is needed to know it.
    if (guess.duplicate !== null) return { result: 'duplicate', key: guess.duplicate };
    const result = await db.transaction((tx) => storeAt(tx, item, { guess, tellFailed }));
    // Somebody else's fact moved the place meanwhile, so each further turn follows one that got on.
    if (result !== 'moved') return result;
  }
}

async function storeAt(
  tx: Db,
  item: IntakeItem,
  { guess, tellFailed }: { readonly guess: Guess; readonly tellFailed: TellFailed },
): Promise<IntakeResult | 'moved'> {
  const found = await findPlace(tx, item, guess);
  return found === 'moved' ? found : storeFound(tx, item, { found, tellFailed });
}

async function storeAlone(db: Db, item: IntakeItem, tellFailed: TellFailed): Promise<IntakeResult> {
  return db.transaction(async (tx) => storeFound(tx, item, { found: await findPlaceAlone(tx, item), tellFailed }));
}

async function storeFound(
  tx: Db,
  item: IntakeItem,
  {
    found,
    tellFailed,
  }: { readonly found: { readonly duplicate: string } | { readonly place: Place }; readonly tellFailed: TellFailed },
): Promise<IntakeResult> {
  if ('duplicate' in found) return { result: 'duplicate', key: found.duplicate };
  const { place } = found;
  const changes = new Changes();
  const meaning = await applyConsequences(tx, item, { place, changes, tellFailed });
  const row = eventRow({ ...item.event, tenant: item.tenant, subject: place.subject, meaning });
  // What opened the conversation goes first, so that runs read them in that order.
  const rows = await changes.write(tx, place.conversation, place.opened ? [openedRow(item, place), row] : [row]);
  const [event, opened] = [...rows].reverse();
  return {
    result: 'accepted',
    event: toStoredEvent(theRow(event === undefined ? [] : [event])),
    ...meaning,
    opened: opened === undefined ? null : toStoredEvent(opened),
  };
}

/** The ref stays out of the event's data: whoever needs the person reads the conversation's contact. */
function openedRow({ tenant, event }: IntakeItem, { conversation, subject }: Place) {
  return eventRow({
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
  readonly subject: EventSubject | null;
  readonly time: string;
  readonly data: unknown;
  readonly meaning: EventMeaning;
}

function eventRow({ tenant, source, id, type, subject, time, data, meaning }: NewEvent): typeof events.$inferInsert {
  return {
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
  };
}
