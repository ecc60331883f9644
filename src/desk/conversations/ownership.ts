/** Who holds a conversation: the few writes that may change it. */
import { and, eq, gt, isNotNull, lte, ne, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { HAND_OFF_SOURCE } from '../../domain/hand-offs.ts';
import { ANSWERING_SLOT, conversationOf } from '../../domain/ids.ts';
import type { AttachmentId, ConversationId, Subject, TenantId } from '../../domain/ids.ts';
import { latestMoment } from '../../domain/told-times.ts';
import type { Db } from '../database/database.ts';
import type { Desk, RunRecord } from '../desk.ts';
import { runs } from '../runs/schema.ts';
import { conversations, events } from '../schema.ts';

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

/** As the port says, `whileLive` aside. The caller holds the subject's lock. */
export async function setOwner(
  tx: Db,
  { tenant, id, owner, by, at, unlessHumanSince }: Parameters<Desk['conversations']['setOwner']>[0],
): Promise<boolean> {
  const ownerSince =
    owner === 'human' ? sql`greatest(${conversations.ownerSince}, excluded.owner_since)` : sql`excluded.owner_since`;
  const held = unlessHumanSince === undefined ? sql`false` : isHeldSince(unlessHumanSince);
  const changed = await tx
    .insert(conversations)
    .values({ tenant, id, owner, ownerBy: by, ownerSince: at, openedAt: at })
    .onConflictDoUpdate({
      target: [conversations.tenant, conversations.id],
      set: { owner, ownerBy: by, ownerSince },
      ...(owner !== 'human' && { setWhere: sql`not ${held}` }),
    })
    .returning({ id: conversations.id });
  return changed.length > 0;
}

/**
 * What a run's end means for its conversation: a human who came in keeps it, also one whom only Temporal was told of; one who
 * answered lets go of it, unless another answers there by now. The caller holds the subject's lock.
 */
export async function letGo(tx: Db, run: RunRecord): Promise<void> {
  const { tenant, subject, slot, status, reason, endedAt } = run;
  const id = conversationOf(subject);
  if (id === undefined || endedAt === null) return;
  const change = { tenant, id, by: run.actor ?? run.agent, at: endedAt };
  if (status === 'EXITED_ON_OUTBOUND' && reason !== 'closed_by_human')
    await setOwner(tx, { ...change, owner: 'human' });
  else if (slot === ANSWERING_SLOT)
    await tx
      .update(conversations)
      .set({ owner: 'none', ownerBy: change.by, ownerSince: endedAt })
      .where(
        and(
          ...[eq(conversations.tenant, tenant), eq(conversations.id, id)],
          sql`not ${isHeldSince(run.attachedAt)} and not exists ${answeringBesides(tx, run)}`,
        ),
      );
}

function isHeldSince(instant: string): SQL {
  return sql`(${conversations.owner} = 'human' and ${notBefore(conversations.ownerSince, instant)})`;
}

function answeringBesides(tx: Db, { tenant, subject, id }: RunRecord) {
  return liveRun(tx, { tenant, subject }, [eq(runs.slot, ANSWERING_SLOT), ne(runs.attachment, id as AttachmentId)]);
}

export async function hasEnded(tx: Db, attachment: AttachmentId): Promise<boolean> {
  const [run] = await tx
    .select({ attachment: runs.attachment })
    .from(runs)
    .where(and(eq(runs.attachment, attachment), isNotNull(runs.endedAt)));
  return run !== undefined;
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

/** An event that tells the others of this attachment's own hand-off (`domain/hand-offs.ts`). */
export function isHandOffOf(attachment: AttachmentId): SQL {
  return sql`(${events.source} = ${HAND_OFF_SOURCE} and strpos(${events.id}, ${`:${attachment}:`}) > 0)`;
}

/**
 * Is a run live here that was attached when this happened, and later than this effect of another one if that is given? Then
 * it concerns that run, whatever was decided since.
 */
export async function hasRunSince(
  tx: Db,
  {
    tenant,
    subject,
    time,
    effect,
  }: {
    readonly tenant: TenantId;
    readonly subject: Subject;
    readonly time: string;
    readonly effect?: { readonly attachment: AttachmentId; readonly claimedAt: string };
  },
): Promise<boolean> {
  const [run] = await liveRun(tx, { tenant, subject }, [
    lte(runs.attachedAt, latestMoment(time)),
    effect && and(gt(runs.attachedAt, effect.claimedAt), ne(runs.attachment, effect.attachment)),
  ]);
  return run !== undefined;
}

/** One that all of this is true of. */
function liveRun(
  tx: Db,
  { tenant, subject }: { readonly tenant: TenantId; readonly subject: Subject },
  also: readonly (SQL | undefined)[],
) {
  return tx
    .select({ attachment: runs.attachment })
    .from(runs)
    .where(and(eq(runs.tenant, tenant), eq(runs.subject, subject), eq(runs.status, 'IN_PROGRESS'), ...also))
    .limit(1);
}
