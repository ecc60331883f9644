/** How far channels have been asked. */
import { and, eq, sql } from 'drizzle-orm';
import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { Subject, TenantId } from '../domain/ids.ts';
import { instant, words } from './database/columns.ts';
import type { Db } from './database/database.ts';
import type { Desk } from './desk.ts';

/** How far a channel has been asked for what its webhooks did not bring. */
export const polls = pgTable(
  'polls',
  {
    tenant: text().$type<TenantId>().notNull(),
    channel: words().notNull(),
    until: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.channel] })],
);

/** What a channel noted of a conversation when it was last asked, in its own words. */
export const pollNotes = pgTable(
  'poll_notes',
  {
    tenant: text().$type<TenantId>().notNull(),
    channel: words().notNull(),
    subject: text().$type<Subject>().notNull(),
    note: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.channel, table.subject] })],
);

export function createPolls(db: Db): Desk['polls'] {
  return {
    async askedUntil({ tenant, channel }) {
      const [row] = await db
        .select({ until: polls.until })
        .from(polls)
        .where(and(eq(polls.tenant, tenant), eq(polls.channel, channel)));
      return row?.until ?? null;
    },
    async recordAsked(asked) {
      await db
        .insert(polls)
        .values(asked)
        .onConflictDoUpdate({
          target: [polls.tenant, polls.channel],
          set: { until: sql`greatest(${polls.until}, excluded.until)` },
        });
    },
    async noted({ tenant, channel, subject }) {
      const [row] = await db
        .select({ note: pollNotes.note })
        .from(pollNotes)
        .where(and(eq(pollNotes.tenant, tenant), eq(pollNotes.channel, channel), eq(pollNotes.subject, subject)));
      return row?.note ?? null;
    },
    async note(noted) {
      await db
        .insert(pollNotes)
        .values(noted)
        .onConflictDoUpdate({
          target: [pollNotes.tenant, pollNotes.channel, pollNotes.subject],
          set: { note: noted.note },
        });
    },
  };
}
