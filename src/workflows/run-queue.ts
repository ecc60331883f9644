/** The queue of events that wait for a tick: pure functions over the run's data. */
import type { EventRef } from '../domain/event-refs.ts';
import type { CaughtUp } from './activity-types.ts';
import type { Patched } from './run-changes.ts';
import { KNOWN_LIMIT, QUEUE_LIMIT, SEEN_LIMIT, type RunData } from './run-data.ts';

interface Circumstances {
  /** The desk is being read on: whether that read sees this event cannot be known, so it is read again. */
  readonly reading: boolean;
  readonly patched: Patched;
}

/**
 * Takes an event in, once. Beyond the limit only the place in the desk's order is kept; a straggler, which would move
 * that place back over what was consumed long ago, is queued all the same, within the limit once more.
 * @returns false for an event that was seen before.
 */
export function enqueue(data: RunData, event: EventRef, { reading, patched }: Circumstances): boolean {
  if (data.seen.includes(event.id)) return false;
  const place = event.seq - 1;
  const { overflow } = data;
  const isStraggler = event.seq <= (overflow?.after ?? data.newest);
  const hasRoom = data.queue.length < (isStraggler ? 2 * QUEUE_LIMIT : QUEUE_LIMIT);
  if (hasRoom && (overflow === null || isStraggler)) data.queue.push(event);
  else if (overflow === null) data.overflow = { after: place, late: null, known: known(data, patched) };
  else if (reading) overflow.late = Math.min(overflow.late ?? place, place);
  else overflow.after = Math.min(overflow.after, place);
  remember(data, [event]);
  return true;
}

/** Has the run not heard of this before? Remembered, and not queued: it is no news for a tick to read in the desk. */
export function isFirst(data: RunData, fact: Pick<EventRef, 'id' | 'seq'>): boolean {
  if (data.seen.includes(fact.id)) return false;
  remember(data, [fact]);
  return true;
}

/** Unanswered messages of before the attachment come first. */
export function adopt(data: RunData, earlier: readonly EventRef[]): void {
  const seen = new Set(data.seen);
  const adopted = earlier.filter(({ id }) => !seen.has(id));
  data.queue.unshift(...adopted);
  data.overflow?.known.push(...adopted.map(({ id }) => id));
  remember(data, adopted);
}

/** Takes out what a tick has consumed; what arrived meanwhile stays. */
export function consume(data: RunData, events: readonly EventRef[]): void {
  const ids = new Set(events.map(({ id }) => id));
  data.queue = data.queue.filter(({ id }) => !ids.has(id));
}

/**
 * Takes out all that the end leaves unconsumed, to be routed again. Forgotten, too: the delivery of one may still find this
 * run, which has then to hand it back once more.
 */
export function giveBack(data: RunData): readonly EventRef[] {
  const left = data.queue.splice(0);
  const ids = new Set(left.map(({ id }) => id));
  data.seen = data.seen.filter((id) => !ids.has(id));
  return left;
}

/** What the desk had after the queue overflowed. @returns the events that are new to the run. */
export function refill(data: RunData, { events, complete, readTo }: CaughtUp): readonly EventRef[] {
  const { overflow } = data;
  if (overflow === null) return [];
  const known = new Set(overflow.known);
  const found = events.filter(({ id }) => !known.has(id));
  const ids = found.map(({ id }) => id);
  data.queue.push(...found);
  remember(data, found);
  const rest = Math.min(complete ? Infinity : readTo, overflow.late ?? Infinity);
  data.overflow =
    rest === Infinity ? null : { after: rest, late: null, known: [...overflow.known, ...ids].slice(-KNOWN_LIMIT) };
  return found;
}

/** What a page of the desk is not to bring again: what waits here too, even behind so many stragglers that it was forgotten. */
function known({ queue, seen }: RunData, patched: Patched): string[] {
  const remembered = new Set(seen);
  const forgotten = queue.flatMap(({ id }) => (remembered.has(id) ? [] : [id]));
  return forgotten.length > 0 && patched('overflow-knows-its-queue') ? [...seen, ...forgotten] : [...seen];
}

function remember(data: RunData, events: readonly Pick<EventRef, 'id' | 'seq'>[]): void {
  const seen = events.length === 1 ? null : new Set(data.seen);
  for (const { id, seq } of events) {
    if (seen?.has(id) !== true) data.seen.push(id);
    data.newest = Math.max(data.newest, seq);
  }
  data.seen.splice(0, data.seen.length - SEEN_LIMIT);
}
