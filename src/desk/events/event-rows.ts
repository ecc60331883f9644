/** A row of `events`: found by name, and in the shapes the port knows. */
import { and, desc, eq, isNull, or } from 'drizzle-orm';
import type { TenantId } from '../../domain/ids.ts';
import type { StoredEvent } from '../../domain/schemas/events.ts';
import type { DeliverableEvent, EventMeaning, EventRecord } from '../desk.ts';
import { isKey } from '../database/columns.ts';
import type { Db } from '../database/database.ts';
import { events } from '../schema.ts';

/** Type of a dead letter that could not be parsed: no run can be given one. */
export const UNREADABLE = 'unreadable';

export type EventRow = typeof events.$inferSelect;

/** By its key or, failing that, its source's id; of those that were not dropped. */
export async function newestEvent(db: Db, tenant: TenantId, id: string): Promise<EventRow | undefined> {
  const isIt = isKey(id) ? or(eq(events.key, id), eq(events.id, id)) : eq(events.id, id);
  const [row] = await db
    .select()
    .from(events)
    .where(and(eq(events.tenant, tenant), isIt, isNull(events.droppedAt)))
    .orderBy(desc(events.seq))
    .limit(1);
  return row;
}

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

function meaningOf({ ownEcho, tookOver, tookOverBy, optOut }: EventRow): EventMeaning {
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
