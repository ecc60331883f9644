/** What the caps on sends count: ours, in one conversation and to one person. */
import { and, eq, inArray, min, notInArray, or, sql, type SQL } from 'drizzle-orm';
import { conversationSubject } from '../../domain/ids.ts';
import type { Db } from '../database/database.ts';
import type { Desk, SendCounts } from '../desk.ts';
import { ledger } from './schema.ts';
import { conversations } from '../schema.ts';

export async function sendCounts(
  db: Db,
  { tenant, id, conversationSince, proactiveSince, except }: Parameters<Desk['conversations']['sendCounts']>[0],
): Promise<SendCounts> {
  const subject = eq(ledger.subject, conversationSubject(id));
  const others = and(eq(ledger.tenant, tenant), except && notInArray(ledger.key, [...except]));
  const inConversation = await sendsSince(db, and(others, subject), conversationSince);
  const person = db
    .select({ id: conversations.contactId })
    .from(conversations)
    .where(and(eq(conversations.tenant, tenant), eq(conversations.id, id)));
  const theirs = db
    .select({ subject: sql`'conversation/' || ${conversations.id}` })
    .from(conversations)
    .where(and(eq(conversations.tenant, tenant), inArray(conversations.contactId, person)));
  // A conversation whose person is not known yet counts for itself.
  const toPerson = and(others, eq(ledger.proactive, true), or(subject, inArray(ledger.subject, theirs)));
  const proactive = await sendsSince(db, toPerson, proactiveSince);
  return {
    inConversation: inConversation.count,
    oldestInConversationAt: inConversation.oldest,
    proactiveToContact: proactive.count,
    oldestProactiveAt: proactive.oldest,
  };
}

/** Sends that went out, or may have. */
async function sendsSince(
  db: Db,
  scope: SQL | undefined,
  since: string,
): Promise<{ count: number; oldest: string | null }> {
  const at = sql`coalesce(${ledger.sentAt}, ${ledger.sendingSince})`;
  const [row] = await db
    .select({ count: sql<number>`count(*)::int`, oldest: min(at).mapWith(ledger.sentAt) })
    .from(ledger)
    .where(
      and(
        scope,
        eq(ledger.kind, 'message.send'),
        inArray(ledger.state, ['sent', 'sending', 'unknown']),
        sql`${at} > ${sql.param(since, ledger.sentAt)}`,
      ),
    );
  return { count: row?.count ?? 0, oldest: row?.oldest ?? null };
}
