/** Where a fact belongs: its conversation, found or opened, with everything locked that it may change. */
import { randomBytes } from 'node:crypto';
import { and, desc, eq } from 'drizzle-orm';
import {
  BUSINESS,
  type ConversationId,
  conversationOf,
  conversationSubject,
  parseConversationId,
  type Subject,
  type TenantId,
} from '../../domain/ids.ts';
import type { ChannelEvent, EventInput } from '../../domain/schemas/events.ts';
import { type ContactRow, createContact, findContact, lockContact, type PartialRef } from '../contacts.ts';
import { type ConversationRow, createIfAbsent, findConversation } from '../conversations.ts';
import { type Db, lock, theRow } from '../database.ts';
import { conversations } from '../schema.ts';
import { conversationOfMessage } from './own-traces.ts';

/** A conversation nobody has written in for this long has ended by itself: the next message opens another (DESIGN §4). */
const QUIET_MS = 30 * 86_400_000;

export interface Fact {
  readonly tenant: TenantId;
  readonly channel: string | null;
  readonly event: EventInput | ChannelEvent;
}

export interface Place {
  /** Null: a status of a message nobody here knows. */
  readonly subject: Subject | null;
  /** As it stood before the fact. Null for the business, and where the fact is no reason to remember one. */
  readonly conversation: ConversationRow | null;
  readonly channel: string | null;
  /** What the fact tells of the person. */
  readonly ref: PartialRef;
  readonly opened: boolean;
}

export function findPlace(tx: Db, fact: Fact): Promise<Place> {
  const { event } = fact;
  if (event.subject !== undefined) return placeOnSubject(tx, { ...fact, subject: event.subject });
  if (event.type === 'message.status') return placeOfStatus(tx, fact);
  return 'address' in event
    ? placeByContact(tx, { ...fact, event })
    : placeOnSubject(tx, { ...fact, subject: BUSINESS });
}

async function placeOnSubject(tx: Db, fact: Fact & { readonly subject: Subject }): Promise<Place> {
  const { tenant, event, subject } = fact;
  const ref = refOf(event);
  const id = conversationOf(subject);
  // Read before the locks only for its channel, which never changes once it is known.
  const channel = (id === undefined ? undefined : await findConversation(tx, tenant, id))?.channel ?? fact.channel;
  await lockContact(tx, { tenant, channel, ref });
  await lock(tx, [['subject', tenant, subject]]);
  if (id === undefined) return nowhere(fact, subject);
  const conversation = isReasonToRemember(event)
    ? await createIfAbsent(tx, { tenant, id, channel: fact.channel, at: event.time })
    : ((await findConversation(tx, tenant, id)) ?? null);
  return { subject, conversation, channel, ref, opened: false };
}

async function placeOfStatus(tx: Db, fact: Fact): Promise<Place> {
  const id = await conversationOfMessage(tx, fact);
  if (id === undefined) return nowhere(fact, null);
  return placeOnSubject(tx, { ...fact, subject: conversationSubject(id) });
}

async function placeByContact(
  tx: Db,
  { tenant, channel, event }: Fact & { readonly event: ChannelEvent },
): Promise<Place> {
  const ref = refOf(event);
  await lockContact(tx, { tenant, channel, ref });
  // An echo or a reaction belongs where its message is, even when that conversation has been closed since.
  const ofMessage = await conversationOfMessage(tx, { tenant, channel, event });
  const contact = await findContact(tx, { tenant, channel, ref });
  const id = ofMessage ?? (contact && (await latestConversation(tx, { contact, channel })));
  if (id !== undefined) {
    const subject = conversationSubject(id);
    await lock(tx, [['subject', tenant, subject]]);
    const conversation = await findConversation(tx, tenant, id);
    if (conversation !== undefined && (ofMessage !== undefined || !callsForAnother(conversation, event)))
      return { subject, conversation, channel, ref, opened: false };
    if (conversation !== undefined) await closeQuiet(tx, conversation);
  }
  if (isMessage(event)) return open(tx, { tenant, channel, event, contact, ref });
  await lock(tx, [['subject', tenant, BUSINESS]]);
  return nowhere({ tenant, channel, event }, BUSINESS);
}

async function open(
  tx: Db,
  {
    tenant,
    channel,
    event,
    contact,
    ref,
  }: Fact & { readonly event: ChannelEvent; readonly contact: ContactRow | undefined; readonly ref: PartialRef },
): Promise<Place> {
  const { id: contactId } =
    contact ?? (await createContact(tx, { tenant, channel, ref: event.address, at: event.time }));
  const id = randomConversationId();
  const subject = conversationSubject(id);
  await lock(tx, [['subject', tenant, subject]]);
  const rows = await tx
    .insert(conversations)
    .values({ tenant, id, channel, contactId, ownerSince: event.time, openedAt: event.time })
    .returning();
  return { subject, conversation: theRow(rows), channel, ref, opened: true };
}

/** The person's latest conversation in this very channel: a business with two numbers has two conversations with them. */
async function latestConversation(
  tx: Db,
  { contact, channel }: { readonly contact: ContactRow; readonly channel: string | null },
): Promise<ConversationId | undefined> {
  const [row] = await tx
    .select({ id: conversations.id })
    .from(conversations)
    .where(
      and(eq(conversations.contactId, contact.id), channel === null ? undefined : eq(conversations.channel, channel)),
    )
    .orderBy(desc(conversations.openedAt))
    .limit(1);
  return row?.id;
}

/** Only a message does, and only one from after the conversation's end: a late one belongs to what it was written in. */
function callsForAnother(conversation: ConversationRow, event: ChannelEvent): boolean {
  if (!isMessage(event)) return false;
  const end = conversation.closedAt === null ? lastStir(conversation) + QUIET_MS : Date.parse(conversation.closedAt);
  return Date.parse(event.time) > end;
}

async function closeQuiet(tx: Db, conversation: ConversationRow): Promise<void> {
  if (conversation.closedAt !== null) return;
  const closedAt = new Date(lastStir(conversation) + QUIET_MS).toISOString();
  await tx
    .update(conversations)
    .set({ closedAt, owner: 'none', ownerBy: 'system', ownerSince: closedAt })
    .where(and(eq(conversations.tenant, conversation.tenant), eq(conversations.id, conversation.id)));
}

function lastStir({ openedAt, lastInboundAt, lastOutboundAt }: ConversationRow): number {
  return Math.max(...[openedAt, lastInboundAt, lastOutboundAt].map((at) => (at === null ? 0 : Date.parse(at))));
}

/** 80 random bits: says nothing of the person, and never collides. */
function randomConversationId(): ConversationId {
  return parseConversationId(`c${randomBytes(10).toString('hex')}`);
}

function isMessage({ type }: Fact['event']): boolean {
  return type === 'message.inbound' || type === 'message.outbound';
}

/** Facts of other systems about a conversation do not make it one of ours. */
function isReasonToRemember(event: Fact['event']): boolean {
  return (
    isMessage(event) ||
    event.type.startsWith('conversation.') ||
    event.type === 'takeover' ||
    event.type === 'contact.updated'
  );
}

function refOf(event: Fact['event']): PartialRef {
  if ('address' in event) return event.address;
  if (event.type === 'contact.updated') return event.data;
  const { data } = event;
  return typeof data === 'object' && data !== null && 'contact' in data && !event.type.startsWith('custom.')
    ? ((data.contact as PartialRef | undefined) ?? {})
    : {};
}

function nowhere({ channel }: Fact, subject: Subject | null): Place {
  return { subject, conversation: null, channel, ref: {}, opened: false };
}
