/** Messages that go out, and how far they come. */
import { and, eq, isNull, lte, not, or, sql, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { advanceStatus, undeliveredReason } from '../../domain/deliveries.ts';
import { textOf } from '../../domain/contents.ts';
import { conversationOf } from '../../domain/ids.ts';
import type {
  DeliveryStatus,
  MessageAuthor,
  MessageContent,
  MessageDeleted,
  MessageEdited,
  MessageStatus,
  OutboundMessage,
} from '../../domain/schemas/events.ts';
import type { EventMeaning, FileRef, MediaRef } from '../desk.ts';
import { type ContactRow, recordMarketing } from '../conversations/contacts.ts';
import { recordSent } from '../sends/record-sent.ts';
import { shutChannel } from '../sends/shut-channels.ts';
import { conversations, events, messages } from '../schema.ts';
import { Changes } from './changes.ts';
import { type LedgerEntry, messageByIds, sendByIds, sendEchoedBy } from './own-traces.ts';
import { later, MEANS_NOTHING, type Placed, takenOver } from './placed.ts';

/** Ours: proves that it went out. A robot's or a private note: kept. Anything else was typed by a person. */
export async function applyOutbound(placed: Placed, message: OutboundMessage): Promise<EventMeaning> {
  const { tx, subject, conversation, time, changes } = placed;
  const ours = await sendEchoedBy(tx, { tenant: conversation.tenant, subject, message });
  if (ours !== undefined) {
    const isProof = message.reference === ours.reference;
    const takenFor = await recordSent(tx, ours, { providerId: message.providerId ?? null, at: time, isProof });
    await correctEcho(placed, ours, takenFor);
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

/**
 * What was taken for the echo of a send by its words alone, before the send's own id was known, and has another: a person
 * typed it. From now on it means that, as of when it happened; the reconciler delivers it.
 */
export async function correctEcho(
  { tx, tellFailed }: Pick<Placed, 'tx' | 'tellFailed'>,
  { tenant, subject, reference }: LedgerEntry,
  takenFor: string | null,
): Promise<void> {
  const id = conversationOf(subject);
  if (takenFor === null || id === undefined) return;
  const isIt = and(
    ...[eq(events.tenant, tenant), eq(events.subject, subject), eq(events.type, 'message.outbound')],
    ...[eq(events.ownEcho, true), isNull(events.droppedAt), sql`${events.data} ->> 'providerId' = ${takenFor}`],
    sql`${events.data} ->> 'reference' is distinct from ${reference}`,
  );
  const [fact] = await tx
    .select({ event: events, conversation: conversations })
    .from(events)
    .innerJoin(conversations, and(eq(conversations.tenant, tenant), eq(conversations.id, id)))
    .where(isIt)
    .limit(1);
  if (fact === undefined) return;
  const { event, conversation } = fact;
  const changes = new Changes();
  const placed = { tx, subject, conversation, time: event.time, changes, tellFailed };
  const meaning = await applyOutbound(placed, event.data as unknown as OutboundMessage);
  await changes.rewrite(tx, conversation, { key: event.key, meaning });
}

/** A status that carries our reference, or the id of a send of ours, proves that the send went out. What a customer wrote has none. */
export async function applyStatus(
  placed: Placed,
  status: MessageStatus,
  contact: Pick<ContactRow, 'id'> | null,
): Promise<void> {
  const { tx, subject, conversation, time } = placed;
  const { tenant, id } = conversation;
  const { providerId, reference } = status;
  if (status.error?.failure === 'marketing_stopped' && contact !== null)
    await recordMarketing(tx, { contact: contact.id, marketing: 'stopped', at: time });
  const ours = await sendByIds(tx, { tenant, subject, providerId, reference });
  if (ours !== undefined) {
    const takenFor = await recordSent(tx, ours, { providerId, at: time, isProof: reference === ours.reference });
    await correctEcho(placed, ours, takenFor);
  }
  const message = await messageByIds(tx, { tenant, conversation: id, providerId, reference, direction: 'out' });
  if (message === undefined) return;
  const next = advanceStatus(message.status, status.status);
  const reached = reachedBy(status.status, time);
  if (next === message.status && reached === null) return;
  const error =
    next === 'failed' && status.error !== undefined ? `${status.error.code}: ${status.error.message}` : null;
  await tx
    .update(messages)
    .set({ status: next, error, ...reached })
    .where(eq(messages.id, message.id));
  if (next === 'failed' && message.status !== 'failed' && ours !== undefined)
    await tellUndelivered(placed, ours, status);
}

/** Taken by the provider and not brought: people are told, like of each effect that failed, and an account that is shut sends no more. */
async function tellUndelivered(
  { tx, conversation, tellFailed }: Placed,
  send: LedgerEntry,
  { error }: MessageStatus,
): Promise<void> {
  const { tenant, channel } = conversation;
  const failure = { reason: undeliveredReason(error), unreachable: error?.failure === 'unreachable' };
  await tellFailed(tx, send, { state: 'failed', ...failure });
  if (error?.failure === 'unauthorized' && channel !== null)
    await shutChannel(tx, { tenant, channel, code: error.code });
}

/** Told once: a repeat, and what is told late of an earlier step, moves no time that is known. */
function reachedBy(status: DeliveryStatus, time: string): Partial<Record<'deliveredAt' | 'readAt', SQL>> | null {
  const first = (column: PgColumn) => sql`coalesce(${column}, ${sql.param(time, column)})`;
  if (status === 'delivered') return { deliveredAt: first(messages.deliveredAt) };
  return status === 'read' || status === 'played' ? { readAt: first(messages.readAt) } : null;
}

/** The author's newest words; what was deleted stays so. */
export async function applyEdited(
  { tx, conversation, time }: Placed,
  { about, content }: MessageEdited,
): Promise<void> {
  await tx
    .update(messages)
    .set({ kind: content.kind, text: textOf(content), media: mediaOf(content), editedAt: time })
    .where(
      and(
        isAbout(conversation, about),
        isNull(messages.deletedAt),
        // What is told again as it stands (a file that is there already) was edited by nobody.
        not(
          and(
            eq(messages.kind, content.kind),
            sql`${messages.text} is not distinct from ${textOf(content)}`,
            sql`${messages.media} is not distinct from ${sql.param(mediaOf(content), messages.media)}`,
          ) ?? sql`false`,
        ),
        or(isNull(messages.editedAt), lte(messages.editedAt, time)),
      ),
    );
}

/** People may take back what they said: the words go, that something was said stays. */
export async function applyDeleted({ tx, conversation, time }: Placed, { about }: MessageDeleted): Promise<void> {
  await tx
    .update(messages)
    .set({ text: null, media: null, deletedAt: time })
    .where(and(isAbout(conversation, about), isNull(messages.deletedAt)));
}

function isAbout({ tenant, id }: Placed['conversation'], providerId: string): SQL | undefined {
  return and(eq(messages.tenant, tenant), eq(messages.conversation, id), eq(messages.providerId, providerId));
}

function mediaOf(content: MessageContent): MediaRef | null {
  if (content.kind !== 'media') return null;
  return { ...fileOf(content), ...(content.more !== undefined && { more: content.more.map(fileOf) }) };
}

type Media = Extract<MessageContent, { kind: 'media' }>;

function fileOf({ media: kind, mediaId, mimeType, fileName, sha256 }: NonNullable<Media['more']>[number]): FileRef {
  return { kind, mediaId, mimeType: mimeType ?? null, fileName: fileName ?? null, sha256: sha256 ?? null };
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
    media: mediaOf(content),
    private: isPrivate ?? false,
    at: time,
    providerId,
    reference,
  };
}
