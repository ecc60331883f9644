/** A send that went out: its row of the ledger, and the transcript. */
import { and, eq, sql } from 'drizzle-orm';
import { conversationOf } from '../../domain/ids.ts';
import { alongside, now, type Db } from '../database/database.ts';
import { conversations, messages } from '../schema.ts';
import { ledger } from './schema.ts';

type Row = typeof ledger.$inferSelect;

/**
 * The provider has it: said by the send's own answer, a status or an echo, whichever comes first. A message becomes part
 * of the transcript. The row was read under the subject's lock, which the caller holds.
 * @param told.isProof said to whoever sent it, or with our reference: that id counts, whatever an echo with the same words has
 * made us believe.
 * @returns that echo's id; null where there was none.
 */
export async function recordSent(
  tx: Db,
  row: Row,
  {
    providerId,
    at,
    isProof = false,
  }: { readonly providerId: string | null; readonly at: string; readonly isProof?: boolean },
): Promise<string | null> {
  if (row.state === 'sent') {
    if (providerId === null || providerId === row.providerId || (row.providerId !== null && !isProof)) return null;
    await learnProviderId(tx, row, providerId);
    return row.providerId;
  }
  const known = row.providerId ?? providerId;
  await tx
    .with(...alongside(tx, transcriptWrites(tx, { ...row, providerId: known }, at)))
    .update(ledger)
    .set({ state: 'sent', reason: null, dueAt: null, providerId: known, sentAt: at, changedAt: now })
    .where(eq(ledger.key, row.key));
  return null;
}

function transcriptWrites(tx: Db, { key, effect, tenant, subject, providerId, reference }: Row, at: string) {
  const conversation = conversationOf(subject);
  if (effect.kind !== 'message.send' || conversation === undefined) return [];
  const message = {
    tenant,
    conversation,
    direction: 'out',
    author: 'agent',
    kind: effect.text === undefined ? 'template' : 'text',
    text: effect.text ?? null,
    at,
    status: 'sent',
    providerId,
    reference,
    effectKey: key,
  } as const;
  const lastOutboundAt = sql`greatest(${conversations.lastOutboundAt}, ${sql.param(at, conversations.lastOutboundAt)})`;
  return [
    tx.insert(messages).values(message).onConflictDoNothing(),
    tx
      .update(conversations)
      .set({ lastOutboundAt })
      .where(and(eq(conversations.tenant, tenant), eq(conversations.id, conversation))),
  ];
}

/** Whoever was first may not have known the provider's id, or taken a person's message of the same words for ours. */
async function learnProviderId(tx: Db, row: Row, providerId: string): Promise<void> {
  const message = tx.update(messages).set({ providerId }).where(eq(messages.effectKey, row.key));
  await tx
    .with(...alongside(tx, [message]))
    .update(ledger)
    .set({ providerId })
    .where(eq(ledger.key, row.key));
}
