/** Stored events, read. What becomes of their delivery: `deliveries.ts`. */
import { and, asc, desc, eq, gt, inArray, isNull, lt, ne, or, sql, type SQL } from 'drizzle-orm';
import { conversationOf, type AttachmentId } from '../../domain/ids.ts';
import { pageOf, readOrder, writeCursor } from '../database/cursors.ts';
import type { Db } from '../database/database.ts';
import type { Desk } from '../desk.ts';
import { isKey, keyBegins } from '../database/columns.ts';
import { createDeliveries } from './deliveries.ts';
import { newestEvent, toEventRecord, toStoredEvent, UNREADABLE } from './event-rows.ts';
import { followers } from '../fan-out/schema.ts';
import { attachedByDesk, runs } from '../runs/schema.ts';
import { conversations, events, messages } from '../schema.ts';

/** No attachment has this name. */
const NOBODY = '' as AttachmentId;

export function createEvents(db: Db): Desk['events'] {
  return {
    async get(tenant, id) {
      const row = await newestEvent(db, tenant, id);
      return row === undefined ? null : toEventRecord(row);
    },
    async unreadable(tenant, id) {
      const row = await newestEvent(db, tenant, id);
      if (row?.type !== UNREADABLE) return null;
      const { data, seal, storedAt } = row;
      return { body: (data as { readonly body: string }).body, seal, storedAt };
    },
    async list({ tenant, status, subject, beginning, limit, cursor }) {
      const rows = await db
        .select()
        .from(events)
        .where(
          and(
            eq(events.tenant, tenant),
            isNull(events.droppedAt),
            status && eq(events.status, status),
            subject && eq(events.subject, subject),
            beginning === undefined
              ? undefined
              : or(keyBegins(events.key, beginning), sql`starts_with(${events.id}, ${beginning})`),
            cursor === undefined ? undefined : lt(events.seq, readOrder(cursor)),
          ),
        )
        .orderBy(desc(events.seq))
        .limit(limit + 1);
      return pageOf(rows, limit, toEventRecord, (row) => writeCursor(row.seq));
    },
    async load(keys) {
      if (keys.length === 0) return [];
      const rows = await db
        .select()
        .from(events)
        .where(and(inArray(events.key, keys.filter(isKey)), ne(events.type, UNREADABLE)))
        .orderBy(asc(events.seq));
      return rows.map(toStoredEvent);
    },
    async after({ tenant, subject, attachment = NOBODY, seq, limit }) {
      const rows = await db
        .select()
        .from(events)
        .where(
          and(
            eq(events.tenant, tenant),
            sql`${events.subject} = any(${topicsOf(attachment)} || ${subject}::text)`,
            gt(events.seq, seq),
            eq(events.ownEcho, false),
            isNull(events.droppedAt),
          ),
        )
        .orderBy(asc(events.seq))
        .limit(limit);
      return rows.map(toStoredEvent);
    },
    unanswered: (query) => unanswered(db, query),
    async followedSinceAttach({ tenant, attachment, limit }) {
      const since = db.select({ at: attachedByDesk }).from(runs).where(eq(runs.attachment, attachment));
      const rows = await db
        .select()
        .from(events)
        .where(
          and(
            eq(events.tenant, tenant),
            sql`${events.subject} = any(${topicsOf(attachment)})`,
            sql`${events.storedAt} >= ${since}`,
            isNull(events.droppedAt),
          ),
        )
        .orderBy(desc(events.seq))
        .limit(limit);
      return rows.reverse().map(toStoredEvent);
    },
    ...createDeliveries(db),
  };
}

/** What the customer wrote that nobody has answered since, neither we nor a human, and that no close has done with. */
async function unanswered(
  db: Db,
  { tenant, subject, limit }: Parameters<Desk['events']['unanswered']>[0],
): ReturnType<Desk['events']['unanswered']> {
  const conversation = conversationOf(subject);
  if (conversation === undefined) return [];
  // An answer comes after the question both at the provider and here: a message that reached us late was not seen by
  // whoever wrote before it came, and one written before the question does not answer it, however late it came.
  const answer = and(
    eq(messages.tenant, tenant),
    eq(messages.conversation, conversation),
    eq(messages.direction, 'out'),
    eq(messages.private, false),
    ne(messages.author, 'automation'),
    sql`${messages.at} >= ${events.time}`,
    sql`${messages.storedAt} >= ${events.storedAt}`,
  );
  // Whoever closed the conversation had done with what was said before, also where it is open again.
  const closing = and(
    eq(conversations.tenant, tenant),
    eq(conversations.id, conversation),
    sql`greatest(${conversations.closedAt}, ${conversations.previouslyClosedAt}) >= ${events.time}`,
  );
  const rows = await db
    .select()
    .from(events)
    .where(
      and(
        eq(events.tenant, tenant),
        eq(events.subject, subject),
        eq(events.type, 'message.inbound'),
        isNull(events.droppedAt),
        sql`not exists (select 1 from ${messages} where ${answer})`,
        sql`not exists (select 1 from ${conversations} where ${closing})`,
      ),
    )
    .orderBy(desc(events.seq))
    .limit(limit);
  return rows.reverse().map(toStoredEvent);
}

/** Subjects of the topics that this attachment follows: an array, which `events_subject` is searched by. */
function topicsOf(attachment: AttachmentId): SQL {
  return sql`array(select 'topic/' || ${followers.topic} from ${followers} where ${followers.attachment} = ${attachment})`;
}
