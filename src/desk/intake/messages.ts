/** Messages that go out, and how far they come. */
import { and, eq, isNull, lte, or, type SQL } from 'drizzle-orm';
import { advanceStatus } from '../../domain/deliveries.ts';
import { textOf } from '../../domain/contents.ts';
import type {
  MessageAuthor,
  MessageContent,
  MessageDeleted,
  MessageEdited,
  MessageStatus,
  OutboundMessage,
} from '../../domain/schemas/events.ts';
import type { EventMeaning } from '../desk.ts';
import { recordSent } from '../ledger.ts';
import { conversations, messages } from '../schema.ts';
import { messageByIds, sendByIds, sendEchoedBy } from './own-traces.ts';
import { later, MEANS_NOTHING, type Placed, takenOver } from './placed.ts';

/** Ours: proves that it went out. A robot's or a private note: kept. Anything else was typed by a person. */
export async function applyOutbound(placed: Placed, message: OutboundMessage): Promise<EventMeaning> {
  const { tx, subject, conversation, time, changes } = placed;
  const ours = await sendEchoedBy(tx, { tenant: conversation.tenant, subject, message });
  if (ours !== undefined) {
    await recordSent(tx, ours, { providerId: message.providerId ?? null, at: time });
    // Only messages have a row of the transcript from the ledger.
    if (ours.kind !== 'message.send') addMessage(placed, { ...message, direction: 'out', author: 'agent' });
    return { ...MEANS_NOTHING, ownEcho: true };
  }
  const { tenant, id } = conversation;
  const known =
    message.providerId !== undefined &&
    (await messageByIds(tx, { tenant, conversation: id, providerId: message.providerId })) !== undefined;
  if (!known) addMessage(placed, { ...message, direction: 'out' });
  if (message.private) return MEANS_NOTHING;
  changes.conversation.lastOutboundAt = later(conversations.lastOutboundAt, time);
  if (message.author === 'automation' || message.author === 'agent') return MEANS_NOTHING;
  changes.conversation.lastHumanOutboundAt = later(conversations.lastHumanOutboundAt, time);
  return takenOver(placed, 'human_replied', message.by);
}

/** A status that carries our reference, or the id of a send of ours, proves that the send went out. */
export async function applyStatus({ tx, conversation, time }: Placed, status: MessageStatus): Promise<void> {
  const { tenant } = conversation;
  const { providerId, reference } = status;
  const ours = await sendByIds(tx, { tenant, providerId, reference });
  if (ours !== undefined) await recordSent(tx, ours, { providerId, at: time });
  const message = await messageByIds(tx, { tenant, providerId, reference });
  if (message === undefined) return;
  const next = advanceStatus(message.status, status.status);
  if (next === message.status) return;
  const error =
    next === 'failed' && status.error !== undefined ? `${status.error.code}: ${status.error.message}` : null;
  await tx.update(messages).set({ status: next, error }).where(eq(messages.id, message.id));
}

/** The author's newest words; what was deleted stays so. */
export async function applyEdited(
  { tx, conversation, time }: Placed,
  { about, content }: MessageEdited,
): Promise<void> {
  await tx
    .update(messages)
    .set({ kind: content.kind, text: textOf(content), editedAt: time })
    .where(
      and(
        isAbout(conversation, about),
        isNull(messages.deletedAt),
        or(isNull(messages.editedAt), lte(messages.editedAt, time)),
      ),
    );
}

/** People may take back what they said: the words go, that something was said stays. */
export async function applyDeleted({ tx, conversation, time }: Placed, { about }: MessageDeleted): Promise<void> {
  await tx
    .update(messages)
    .set({ text: null, deletedAt: time })
    .where(and(isAbout(conversation, about), isNull(messages.deletedAt)));
}

function isAbout({ tenant, id }: Placed['conversation'], providerId: string): SQL | undefined {
  return and(eq(messages.tenant, tenant), eq(messages.conversation, id), eq(messages.providerId, providerId));
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

export function addMessage(
  { conversation, time, changes }: Placed,
  { direction, author, content, by, private: isPrivate, providerId, reference }: NewMessage,
): void {
  changes.message = {
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
  };
}
