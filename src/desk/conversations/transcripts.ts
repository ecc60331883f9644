/** What was said in conversations. */
import { and, desc, eq, gte, isNotNull, lt, or, sql, type SQL } from 'drizzle-orm';
import { pageOf, readPlaceInTranscript, writeCursor } from '../database/cursors.ts';
import type { Db } from '../database/database.ts';
import type { Conversations, MessageRecord } from '../desk.ts';
import { conversations, messages } from '../schema.ts';

export function createTranscripts(db: Db): Pick<Conversations, 'messages' | 'message' | 'delivered'> {
  return {
    async messages({ tenant, conversation, limit, cursor }) {
      const rows = await db
        .select()
        .from(messages)
        .where(and(eq(messages.tenant, tenant), eq(messages.conversation, conversation), before(cursor)))
        .orderBy(desc(messages.at), desc(messages.seq))
        .limit(limit + 1);
      const page = pageOf(rows, limit, toMessage, (row) => writeCursor([row.at, row.seq]));
      return { ...page, items: page.items.reverse() };
    },
    async message({ tenant, conversation, ...name }) {
      const isIt = 'id' in name ? eq(sql`${messages.id}::text`, name.id) : eq(messages.providerId, name.providerId);
      const [row] = await db
        .select()
        .from(messages)
        .where(and(eq(messages.tenant, tenant), eq(messages.conversation, conversation), isIt))
        .orderBy(desc(messages.seq))
        .limit(1);
      return row === undefined ? null : toMessage(row);
    },
    async delivered({ tenant, since }) {
      const month = sql<string>`to_char(${messages.at} at time zone 'UTC', 'YYYY-MM')`;
      const isTemplate = sql`${messages.kind} = 'template'`;
      return db
        .select({
          channel: sql<string>`${conversations.channel}`,
          month,
          service: sql<number>`(count(*) filter (where not ${isTemplate}))::int`,
          template: sql<number>`(count(*) filter (where ${isTemplate}))::int`,
        })
        .from(messages)
        .innerJoin(
          conversations,
          and(eq(conversations.tenant, messages.tenant), eq(conversations.id, messages.conversation)),
        )
        .where(
          and(
            eq(messages.tenant, tenant),
            gte(messages.at, since),
            sql`${messages.direction} = 'out' and ${messages.status} in ('delivered', 'read', 'played')`,
            eq(messages.private, false),
            isNotNull(conversations.channel),
          ),
        )
        .groupBy(sql`1`, sql`2`)
        .orderBy(sql`1`, sql`2`);
    },
  };
}

function before(cursor: string | undefined): SQL | undefined {
  if (cursor === undefined) return undefined;
  const [at, seq] = readPlaceInTranscript(cursor);
  return or(lt(messages.at, at), and(eq(messages.at, at), lt(messages.seq, seq)));
}

function toMessage(row: typeof messages.$inferSelect): MessageRecord {
  const { id, conversation, direction, author, by, kind, text, media, at, status, error, providerId, reference } = row;
  return {
    ...{ id, conversation, direction, author, by, kind, text, media, private: row.private, at, status, error },
    ...{ providerId, reference, editedAt: row.editedAt, deletedAt: row.deletedAt },
  };
}
