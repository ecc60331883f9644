/** Messages that go out, and how far they come. */
import { eq } from 'drizzle-orm';
import { advanceStatus } from '../../domain/deliveries.ts';
import { textOf } from '../../domain/contents.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { MessageAuthor, MessageContent, MessageStatus, OutboundMessage } from '../../domain/schemas/events.ts';
import type { Db } from '../database.ts';
import type { EventMeaning } from '../desk.ts';
import { recordSent } from '../ledger.ts';
import { conversations, messages } from '../schema.ts';
import { messageByIds, sendByIds, sendEchoedBy } from './own-traces.ts';
import { isThis, later, MEANS_NOTHING, type Placed, takenOver } from './placed.ts';

/** Ours: proves that it went out. A robot's or a private note: kept. Anything else was typed by a person. */
export async function applyOutbound(placed: Placed, message: OutboundMessage): Promise<EventMeaning> {
  const { tx, subject, conversation, time } = placed;
  const ours = await sendEchoedBy(tx, { tenant: conversation.tenant, subject, message });
  if (ours !== undefined) {
    await recordSent(tx, { key: ours.key, providerId: message.providerId ?? null, at: time });
    // Only messages have a row of the transcript from the ledger.
    if (ours.kind !== 'message.send') await insertMessage(placed, { ...message, direction: 'out', author: 'agent' });
    return { ...MEANS_NOTHING, ownEcho: true };
  }
  const { tenant, id } = conversation;
  const known =
    message.providerId !== undefined &&
    (await messageByIds(tx, { tenant, conversation: id, providerId: message.providerId })) !== undefined;
  if (!known) await insertMessage(placed, { ...message, direction: 'out' });
  if (message.private) return MEANS_NOTHING;
  const isHuman = message.author !== 'automation' && message.author !== 'agent';
  await tx
    .update(conversations)
    .set({
      lastOutboundAt: later(conversations.lastOutboundAt, time),
      ...(isHuman && { lastHumanOutboundAt: later(conversations.lastHumanOutboundAt, time) }),
    })
    .where(isThis(conversation));
  return isHuman ? takenOver(placed, 'human_replied', message.by) : MEANS_NOTHING;
}

/** A status that carries our reference, or the id of a send of ours, proves that the send went out. */
export async function applyStatus(
  tx: Db,
  { tenant, status, time }: { readonly tenant: TenantId; readonly status: MessageStatus; readonly time: string },
): Promise<void> {
  const ours = await sendByIds(tx, { tenant, providerId: status.providerId, reference: status.reference });
  if (ours !== undefined) await recordSent(tx, { key: ours.key, providerId: status.providerId, at: time });
  const message = await messageByIds(tx, { tenant, providerId: status.providerId, reference: status.reference });
  if (message === undefined) return;
  const next = advanceStatus(message.status, status.status);
  if (next === message.status) return;
  const error =
    next === 'failed' && status.error !== undefined ? `${status.error.code}: ${status.error.message}` : null;
  await tx.update(messages).set({ status: next, error }).where(eq(messages.id, message.id));
}

interface NewMessage {
  readonly direction: 'in' | 'out';
  readonly author: MessageAuthor;
  readonly content: MessageContent;
  readonly by?: string | undefined;
  readonly private?: boolean;
  readonly providerId?: string | undefined;
  readonly reference?: string | undefined;
}

export async function insertMessage(
  { tx, conversation, time }: Placed,
  { direction, author, content, by, private: isPrivate, providerId, reference }: NewMessage,
): Promise<void> {
  await tx.insert(messages).values({
    tenant: conversation.tenant,
    conversation: conversation.id,
    direction,
    author,
    by,
    kind: content.kind,
    text: textOf(content),
    private: isPrivate ?? false,
    at: time,
    providerId,
    reference,
  });
}
