/** Where a fact belongs: its conversation, found or opened, with everything locked that it may change. */
import { randomBytes } from 'node:crypto';
import { and, eq, type SQLWrapper } from 'drizzle-orm';
import {
  BUSINESS,
  type ConversationId,
  conversationOf,
  type EventSubject,
  conversationSubject,
  parseConversationId,
} from '../../domain/ids.ts';
import type { ChannelEvent } from '../../domain/schemas/events.ts';
import { type ContactRow, contactLocks, createContact, type PartialRef } from '../conversations/contacts.ts';
import { createIfAbsent } from '../conversations/conversations.ts';
import { alongside, type Db, lock, theRow } from '../database/database.ts';
import { conversations, type ConversationRow } from '../schema.ts';
import { type Fact, isBeginning, isByContact, isReasonToRemember, refOf } from './fact.ts';
import { look, type Sight } from './sight.ts';

/** A conversation nobody has written in for this long has ended by itself: the next message opens another. */
const QUIET_MS = 30 * 86_400_000;

export interface Place {
  /** Null: a status of a message nobody here knows. */
  readonly subject: EventSubject | null;
  /** As it stood before the fact. Null for the business and a topic, and where the fact is no reason to remember one. */
  readonly conversation: ConversationRow | null;
  /** Whom the fact names, else whose the conversation is. */
  readonly contact: ContactRow | null;
  readonly channel: string | null;
  /** What the fact tells of the person. */
  readonly ref: PartialRef;
  readonly knowsNames: boolean;
  readonly opened: boolean;
}

/** What is locked before a fact is placed, as a look without locks has it. */
export interface Guess {
  readonly duplicate: string | null;
  /** Null: the fact opens a conversation, or is for nobody. */
  readonly subject: EventSubject | null;
  readonly channel: string | null;
}

export async function guessPlace(db: Db, fact: Fact): Promise<Guess> {
  return guessFrom(fact, await look(db, { fact, channel: fact.channel, ref: refOf(fact.event) }));
}

/**
 * Where the fact belongs, with everything locked that it may change: one look under the locks. `moved`: somebody changed
 * meanwhile what the guess rested on, nothing is written, guess again. `duplicate`: it is stored already.
 */
export async function findPlace(
  tx: Db,
  fact: Fact,
  guess: Guess,
): Promise<{ readonly duplicate: string } | { readonly place: Place } | 'moved'> {
  const { tenant, event } = fact;
  const { channel, subject } = guess;
  const ref = refOf(event);
  await lock(tx, [
    ['event', tenant, event.source, event.id],
    ...contactLocks({ tenant, channel, ref }),
    ...(subject === null ? [] : [['subject', tenant, subject] as const]),
  ]);
  const sight = await look(tx, { fact, channel, ref });
  if (sight.duplicate !== null) return { duplicate: sight.duplicate };
  const now = guessFrom(fact, sight);
  if (now.subject !== subject || now.channel !== channel) return 'moved';
  return { place: await placeBy(tx, fact, { ...sight, subject, channel, ref }) };
}

/**
 * The same where no other transaction runs beside this one, which is so in an embedded database: nothing can move, so
 * one look does, and no lock.
 */
export async function findPlaceAlone(
  tx: Db,
  fact: Fact,
): Promise<{ readonly duplicate: string } | { readonly place: Place }> {
  const ref = refOf(fact.event);
  const sight = await look(tx, { fact, channel: fact.channel, ref });
  if (sight.duplicate !== null) return { duplicate: sight.duplicate };
  const { subject, channel } = guessFrom(fact, sight);
  const seen = channel === fact.channel ? sight : await look(tx, { fact, channel, ref });
  return { place: await placeBy(tx, fact, { ...seen, subject, channel, ref }) };
}

function guessFrom(fact: Fact, { duplicate, conversation }: Sight): Guess {
  const { event, channel } = fact;
  // A conversation's channel never changes once it is known; a person is looked for under the names of its kind.
  const known = isByContact(event) ? channel : (conversation?.channel ?? channel);
  return { duplicate, subject: subjectOf(event, conversation), channel: known };
}

function subjectOf(event: Fact['event'], conversation: ConversationRow | null): EventSubject | null {
  if (event.subject !== undefined) return event.subject;
  if (conversation !== null) return conversationSubject(conversation.id);
  return event.type === 'message.status' || (isByContact(event) && isBeginning(event)) ? null : BUSINESS;
}

const NOWHERE = { conversation: null, contact: null, ref: {}, knowsNames: true, opened: false } as const;

interface Seen extends Sight {
  readonly subject: EventSubject | null;
  readonly channel: string | null;
  readonly ref: PartialRef;
}

async function placeBy(tx: Db, fact: Fact, seen: Seen): Promise<Place> {
  const { event } = fact;
  const { subject, channel, ref, conversation, knowsNames } = seen;
  const contact = seen.named ?? seen.holder;
  if (isByContact(event)) {
    const isAnother = conversation !== null && seen.ofMessage === null && callsForAnother(conversation, event);
    if (conversation === null ? isBeginning(event) : isAnother) return open(tx, { fact, event, seen });
  }
  const id = subject === null ? undefined : conversationOf(subject);
  // Nobody has spoken with them here, and what they want of us holds all the same.
  if (id === undefined) return { ...NOWHERE, subject, channel, contact: seen.named, ref };
  const row = await remembered(tx, fact, { id, conversation });
  return { subject, conversation: row, contact, channel, ref, knowsNames, opened: false };
}

/** The conversation's row, made or completed where the fact is a reason to. */
async function remembered(
  tx: Db,
  { tenant, channel, event }: Fact,
  { id, conversation }: { readonly id: ConversationId; readonly conversation: ConversationRow | null },
): Promise<ConversationRow | null> {
  const isComplete = conversation !== null && (conversation.channel !== null || channel === null);
  if (isComplete || !isReasonToRemember(event)) return conversation;
  return createIfAbsent(tx, { tenant, id, channel, at: event.time });
}

async function open(
  tx: Db,
  { fact, event, seen }: { readonly fact: Fact; readonly event: ChannelEvent; readonly seen: Seen },
): Promise<Place> {
  const { tenant, channel } = fact;
  const { ref, named, conversation: previous, knowsNames } = seen;
  const contact = named ?? (await createContact(tx, { tenant, channel, ref: event.address, at: event.time }));
  const id = randomConversationId();
  const rows = await tx
    .with(...alongside(tx, previous === null ? [] : closeQuiet(tx, previous)))
    .insert(conversations)
    .values({ tenant, id, channel, contactId: contact.id, ownerSince: event.time, openedAt: event.time })
    .returning();
  // Nobody else knows the new subject before this is committed: it needs no lock.
  const place = { subject: conversationSubject(id), conversation: theRow(rows), contact, channel, ref };
  return { ...place, knowsNames: knowsNames || named === null, opened: true };
}

/** Only a message does, and only one from after the conversation's end: a late one belongs to what it was written in. */
function callsForAnother(conversation: ConversationRow, event: ChannelEvent): boolean {
  if (!isBeginning(event)) return false;
  const end = conversation.closedAt === null ? lastStir(conversation) + QUIET_MS : Date.parse(conversation.closedAt);
  return Date.parse(event.time) > end;
}

function closeQuiet(tx: Db, conversation: ConversationRow): SQLWrapper[] {
  if (conversation.closedAt !== null) return [];
  const closedAt = new Date(lastStir(conversation) + QUIET_MS).toISOString();
  return [
    tx
      .update(conversations)
      .set({ closedAt, owner: 'none', ownerBy: 'system', ownerSince: closedAt })
      .where(and(eq(conversations.tenant, conversation.tenant), eq(conversations.id, conversation.id))),
  ];
}

function lastStir({ openedAt, lastInboundAt, lastOutboundAt }: ConversationRow): number {
  return Math.max(...[openedAt, lastInboundAt, lastOutboundAt].map((at) => (at === null ? 0 : Date.parse(at))));
}

/** 80 random bits: says nothing of the person, and never collides. */
function randomConversationId(): ConversationId {
  return parseConversationId(`c${randomBytes(10).toString('hex')}`);
}
