/** Who holds a conversation: the few writes that may change it. */
import { and, eq, lte, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { ConversationId, Subject, TenantId } from '../domain/ids.ts';
import { latestMoment } from '../domain/told-times.ts';
import type { Db } from './database.ts';
import { runs } from './run-schema.ts';
import { conversations } from './schema.ts';

interface Hold {
  readonly tenant: TenantId;
  readonly id: ConversationId;
  readonly at: string;
  readonly by: string;
}

/** A human holds it from now on, known conversation or not. Who looks for holds since an instant finds the latest sign of one. */
export async function holdByHuman(tx: Db, { tenant, id, at, by }: Hold): Promise<void> {
  await tx
    .insert(conversations)
    .values({ tenant, id, owner: 'human', ownerBy: by, ownerSince: at, openedAt: at })
    .onConflictDoUpdate({
      target: [conversations.tenant, conversations.id],
      set: heldByHuman({ at, by }),
    });
}

/** What that changes of a conversation that is known. */
export function heldByHuman({ at, by }: Pick<Hold, 'at' | 'by'>) {
  const ownerSince = sql`greatest(${conversations.ownerSince}, ${sql.param(at, conversations.ownerSince)})`;
  return { owner: 'human', ownerBy: by, ownerSince } as const;
}

/**
 * Does a human fact of this time still say who holds the conversation, or has somebody decided since? Providers tell whole
 * seconds (WhatsApp does), so a fact is not older than a decision made within its own second.
 */
export function isOlderThanOwner(
  conversation: Pick<typeof conversations.$inferSelect, 'owner' | 'ownerBy' | 'ownerSince'>,
  time: string,
): boolean {
  if (conversation.ownerBy === null || conversation.owner === 'human') return false;
  return Date.parse(time) < wholeSecond(conversation.ownerSince);
}

export function wholeSecond(instant: string): number {
  return Math.floor(Date.parse(instant) / 1000) * 1000;
}

/**
 * A human fact is not before an instant when it may have happened after it: one of a whole second may be of any moment in
 * that second. The run's state says the same of what it is told.
 */
export function notBefore(fact: PgColumn, instant: string | PgColumn): SQL {
  const since = typeof instant === 'string' ? sql.param(instant, fact) : instant;
  return sql`(${fact} >= ${since} or ${fact} = date_trunc('second', ${since}::timestamptz))`;
}

/** Is a run live here that was attached when this happened? Then it concerns that run, whatever was decided since. */
export async function hasRunSince(
  tx: Db,
  { tenant, subject, time }: { readonly tenant: TenantId; readonly subject: Subject; readonly time: string },
): Promise<boolean> {
  const [run] = await tx
    .select({ attachment: runs.attachment })
    .from(runs)
    .where(
      and(
        eq(runs.tenant, tenant),
        eq(runs.subject, subject),
        eq(runs.status, 'IN_PROGRESS'),
        lte(runs.attachedAt, latestMoment(time)),
      ),
    )
    .limit(1);
  return run !== undefined;
}
