/** A row of `events` in the shapes the port knows. */
import type { StoredEvent } from '../../domain/schemas/events.ts';
import type { DeliverableEvent, EventMeaning, EventRecord } from '../desk.ts';
import type { events } from '../schema.ts';

export type EventRow = typeof events.$inferSelect;

/** Rows were parsed by the event's schema before they were stored: the columns put together are an event again. */
export function toStoredEvent({
  key,
  seq,
  tenant,
  source,
  id,
  type,
  subject,
  time,
  storedAt,
  data,
}: EventRow): StoredEvent {
  return {
    key,
    seq,
    tenant,
    source,
    id,
    type,
    ...(subject !== null && { subject }),
    time,
    storedAt,
    data,
  } as StoredEvent;
}

export function meaningOf({ ownEcho, tookOver, tookOverBy, optOut }: EventRow): EventMeaning {
  return {
    ownEcho,
    humanTookOver: tookOver === null ? null : { cause: tookOver, actor: tookOverBy ?? 'human' },
    optOut,
  };
}

export function toDeliverable(row: EventRow): DeliverableEvent {
  return { ...toStoredEvent(row), ...meaningOf(row), requeues: row.requeues };
}

export function toEventRecord({
  key,
  seq,
  id,
  source,
  type,
  subject,
  time,
  storedAt,
  data,
  status,
  attempts,
  problem,
  stale,
}: EventRow): EventRecord {
  return { key, seq, id, source, type, subject, time, storedAt, data, status, attempts, problem, stale };
}
