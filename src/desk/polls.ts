/** How far channels have been asked. */
import { and, eq, sql } from 'drizzle-orm';
import type { Db } from './database.ts';
import type { Desk } from './desk.ts';
import { pollNotes, polls } from './run-schema.ts';

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
