/** Conversations: who holds them, and with whom they are. What was said in them: `transcripts.ts`. */
import { and, desc, eq, inArray, isNull, sql } from 'drizzle-orm';
import { ANSWERING_SLOT, type ConversationId, conversationSubject, type TenantId } from '../../domain/ids.ts';
import type { ContactRef } from '../../domain/schemas/events.ts';
import { getConversation, prepareSightOfRun } from './conversation-reads.ts';
import {
  contactLocks,
  contactOf,
  createContact,
  findContact,
  learn,
  nameRows,
  nameWrites,
  recordMarketing,
} from './contacts.ts';
import { alongside, type Db, lock, theRow } from '../database/database.ts';
import type { Conversations } from '../desk.ts';
import { hasEnded, setOwner, wholeSecond } from './ownership.ts';
import { runs } from '../runs/schema.ts';
import { contactAddresses, contacts, conversations, type ConversationRow } from '../schema.ts';
import { sendCounts } from '../sends/send-counts.ts';
import { createTranscripts } from './transcripts.ts';

export function createConversations(db: Db): Conversations {
  return {
    get: (tenant, id) => getConversation(db, tenant, id),
    sightOfRun: prepareSightOfRun(db),
    ...createTranscripts(db),
    ensure: ({ tenant, id, channel, contact }) =>
      db.transaction(async (tx) => {
        const at = new Date().toISOString();
        const named = { tenant, channel, ref: contact ?? {} };
        await lock(tx, [...contactLocks(named), ['subject', tenant, conversationSubject(id)]]);
        const row = await createIfAbsent(tx, { tenant, id, channel, at });
        if (contact !== undefined) await attend(tx, { ...named, ref: contact, row, at });
        return theRow([await getConversation(tx, tenant, id)].filter((found) => found !== null));
      }),
    async learnNames({ tenant, channel, contact, names: [address, ...aliases] }) {
      if (address !== undefined)
        await db
          .insert(contactAddresses)
          .values(nameRows({ tenant, channel, ref: { address, aliases }, contactId: contact }))
          .onConflictDoNothing();
    },
    stopMarketing: ({ contact, at }) => recordMarketing(db, { contact, marketing: 'stopped', at }),
    setOwner: ({ whileLive, ...change }) =>
      db.transaction(async (tx) => {
        // A run's end is recorded under the same lock: a claim comes before it, and is let go of, or is not made.
        await lock(tx, [['subject', change.tenant, conversationSubject(change.id)]]);
        return (whileLive === undefined || !(await hasEnded(tx, whileLive))) && setOwner(tx, change);
      }),
    close: ({ tenant, id, at }) =>
      db.transaction(async (tx) => {
        await lock(tx, [['subject', tenant, conversationSubject(id)]]);
        const row = await findConversation(tx, tenant, id);
        const closed = row === undefined ? null : closing(row, { at, by: 'agent' });
        if (closed !== null)
          await tx
            .update(conversations)
            .set(closed)
            .where(and(eq(conversations.tenant, tenant), eq(conversations.id, id)));
      }),
    heldInSilence: (query) => heldInSilence(db, query),
    sendCounts: (question) => sendCounts(db, question),
  };
}

async function heldInSilence(
  db: Db,
  { tenant, agent, silentSince, limit }: Parameters<Conversations['heldInSilence']>[0],
): ReturnType<Conversations['heldInSilence']> {
  const lastHumanAt = sql<string>`greatest(${conversations.ownerSince}, ${conversations.lastHumanOutboundAt})`;
  const latest = db
    .select({ agent: runs.agent, status: runs.status, reason: runs.reason })
    .from(runs)
    .where(
      and(
        eq(runs.tenant, conversations.tenant),
        sql`${runs.subject} = 'conversation/' || ${conversations.id}`,
        eq(runs.slot, ANSWERING_SLOT),
      ),
    )
    .orderBy(desc(runs.attachedAt), desc(sql`${runs.status} = 'IN_PROGRESS'`))
    .limit(1)
    .as('latest');
  return db
    .select({ id: conversations.id, lastHumanAt: lastHumanAt.mapWith(conversations.ownerSince) })
    .from(conversations)
    .innerJoinLateral(latest, sql`true`)
    .leftJoin(contacts, eq(contacts.id, conversations.contactId))
    .where(
      and(
        eq(conversations.tenant, tenant),
        sql`${conversations.owner} = 'human' and ${conversations.closedAt} is null`,
        sql`${lastHumanAt} <= ${sql.param(silentSince, conversations.ownerSince)}`,
        eq(latest.agent, agent),
        eq(latest.status, 'EXITED_ON_OUTBOUND'),
        inArray(latest.reason, ['human_replied', 'taken_over']),
        isNull(contacts.optedOutAt),
      ),
    )
    .orderBy(conversations.ownerSince)
    .limit(limit);
}

/** The conversation is this person's. The caller holds the contact's and the subject's lock. */
async function attend(
  tx: Db,
  {
    tenant,
    channel,
    ref,
    row,
    at,
  }: {
    readonly tenant: TenantId;
    readonly channel: string;
    readonly ref: ContactRef;
    readonly row: ConversationRow;
    readonly at: string;
  },
): Promise<void> {
  const known = (await findContact(tx, { tenant, channel, ref })) ?? (await contactOf(tx, row)) ?? null;
  const contact = known ?? (await createContact(tx, { tenant, channel, ref, at }));
  const learnt = learn({ conversation: row, contact, ref, at, spoke: false });
  if (learnt === null) return;
  const contactId = contact.id;
  const writes = [
    ...nameWrites(tx, { tenant, channel, ref, contactId }),
    ...(learnt.isNewHere
      ? [
          tx
            .update(conversations)
            .set({ contactId })
            .where(and(eq(conversations.tenant, tenant), eq(conversations.id, row.id))),
        ]
      : []),
  ];
  await tx
    .with(...alongside(tx, writes))
    .update(contacts)
    .set(learnt.changes)
    .where(eq(contacts.id, contactId));
}

async function findConversation(db: Db, tenant: TenantId, id: ConversationId): Promise<ConversationRow | undefined> {
  const [row] = await db
    .select()
    .from(conversations)
    .where(and(eq(conversations.tenant, tenant), eq(conversations.id, id)));
  return row;
}

/** The row as it stands afterwards. A channel that is not known yet is filled in, one that is known stays. The caller holds the subject's lock. */
export async function createIfAbsent(
  tx: Db,
  {
    tenant,
    id,
    channel,
    at,
  }: { readonly tenant: TenantId; readonly id: ConversationId; readonly channel: string | null; readonly at: string },
): Promise<ConversationRow> {
  const rows = await tx
    .insert(conversations)
    .values({ tenant, id, channel, ownerSince: at, openedAt: at })
    .onConflictDoUpdate({
      target: [conversations.tenant, conversations.id],
      set: { channel: sql`coalesce(${conversations.channel}, excluded.channel)` },
    })
    .returning();
  return theRow(rows);
}

/**
 * What closing it changes: nobody owns it any more. Null, nothing, when it is closed already or when the customer has written,
 * or somebody reopened it, since. The row was read under the subject's lock.
 */
export function closing(row: ConversationRow, { at, by }: { readonly at: string; readonly by: string }) {
  const lastStir = Math.max(wholeSecond(row.openedAt), row.lastInboundAt === null ? 0 : wholeSecond(row.lastInboundAt));
  if (row.closedAt !== null || Date.parse(at) < lastStir) return null;
  return { closedAt: at, owner: 'none', ownerBy: by, ownerSince: at } as const;
}
