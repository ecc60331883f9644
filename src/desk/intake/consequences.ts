/** What a fact changes besides being stored, in the transaction that stores it; and what it means for runs. */
import { eq } from 'drizzle-orm';
import { isOptIn, isOptOut } from '../../domain/opt-out.ts';
import { textOf } from '../../domain/contents.ts';
import type { EventInput } from '../../domain/schemas/events.ts';
import { type ContactRow, contactOf, learnContact } from '../contacts.ts';
import { closeConversation } from '../conversations.ts';
import type { Db } from '../database.ts';
import type { EventMeaning, Owner } from '../desk.ts';
import { recordSent } from '../ledger.ts';
import { hasRunSince } from '../ownership.ts';
import { contacts, conversations } from '../schema.ts';
import { applyOutbound, applyStatus, insertMessage } from './messages.ts';
import { recentEffect } from './own-traces.ts';
import type { Fact, Place } from './place.ts';
import { isThis, later, MEANS_NOTHING, type Placed, takenOver } from './placed.ts';

type Of<Type extends EventInput['type']> = Extract<EventInput, { readonly type: Type }>;

export async function applyConsequences(
  tx: Db,
  { event: { type, data, time }, tenant }: Fact,
  place: Place,
): Promise<EventMeaning> {
  const { subject, conversation } = place;
  const event = { type, data } as Pick<EventInput, 'type' | 'data'> as EventInput;
  if (subject === null || conversation === null)
    return event.type === 'takeover'
      ? { ...MEANS_NOTHING, humanTookOver: { cause: 'taken_over', actor: event.data.by ?? 'human' } }
      : MEANS_NOTHING;
  const contact = await learnContact(tx, {
    conversation,
    channel: place.channel,
    ref: place.ref,
    at: time,
    spoke: event.type === 'message.inbound',
  });
  const placed = { tx, subject, conversation, time };
  switch (event.type) {
    case 'message.inbound':
      return applyInbound(placed, event.data, contact);
    case 'message.outbound':
      return applyOutbound(placed, event.data);
    case 'message.status':
      await applyStatus(tx, { tenant, status: event.data, time });
      return MEANS_NOTHING;
    case 'conversation.opened':
      await reopen(placed);
      return MEANS_NOTHING;
    case 'conversation.closed':
      return applyClosed(placed, event.data);
    case 'conversation.assigned':
      return applyAssigned(placed, event.data);
    case 'takeover':
      return takenOver(placed, 'taken_over', event.data.by);
    default:
      return MEANS_NOTHING;
  }
}

async function applyInbound(
  placed: Placed,
  message: Of<'message.inbound'>['data'],
  contact: ContactRow | null,
): Promise<EventMeaning> {
  const { tx, conversation, time } = placed;
  await insertMessage(placed, {
    direction: 'in',
    author: 'customer',
    content: message.content,
    providerId: message.providerId,
  });
  await reopen(placed);
  await tx
    .update(conversations)
    .set({ lastInboundAt: later(conversations.lastInboundAt, time) })
    .where(isThis(conversation));
  return {
    ...MEANS_NOTHING,
    optOut: await applyConsent(
      placed,
      textOf(message.content) ?? '',
      contact ?? (await contactOf(tx, conversation)) ?? null,
    ),
  };
}

/** Answers whether the person has opted out by this message, and has not opted in again since. */
async function applyConsent({ tx, time }: Placed, text: string, contact: ContactRow | null): Promise<boolean> {
  const [out, back] = [isOptOut(text), isOptIn(text)];
  if (!out && !back) return false;
  // A word of a person unknown here still ends the run that hears it.
  if (contact === null) return out;
  if (contact.consentAt !== null && Date.parse(time) < Date.parse(contact.consentAt)) return false;
  await tx
    .update(contacts)
    .set({ optedOutAt: out ? time : null, consentAt: time })
    .where(eq(contacts.id, contact.id));
  return out;
}

/** A closed conversation in which something began again after its end; an older fact does not reopen it. */
async function reopen({ tx, conversation, time }: Placed): Promise<void> {
  if (conversation.closedAt === null || Date.parse(time) <= Date.parse(conversation.closedAt)) return;
  await tx
    .update(conversations)
    .set({ closedAt: null, openedAt: time, owner: 'none', ownerBy: 'system', ownerSince: time })
    .where(isThis(conversation));
}

async function applyClosed(placed: Placed, { by }: Of<'conversation.closed'>['data']): Promise<EventMeaning> {
  const { tx, subject, conversation, time } = placed;
  const ours = await recentEffect(tx, { tenant: conversation.tenant, subject, kind: 'conversation.close' });
  if (ours !== undefined) await recordSent(tx, { key: ours.key, providerId: null, at: time });
  const closed = await closeConversation(tx, {
    row: conversation,
    at: time,
    by: by ?? (ours === undefined ? 'human' : 'agent'),
  });
  if (ours !== undefined) return { ...MEANS_NOTHING, ownEcho: true };
  // The customer wrote since, or it was closed already; but a run that was live when it happened was closed on.
  const concerns =
    closed ||
    (conversation.closedAt === null && (await hasRunSince(tx, { tenant: conversation.tenant, subject, time })));
  return concerns
    ? { ...MEANS_NOTHING, humanTookOver: { cause: 'closed_by_human', actor: by ?? 'human' } }
    : MEANS_NOTHING;
}

async function applyAssigned(placed: Placed, { to, by }: Of<'conversation.assigned'>['data']): Promise<EventMeaning> {
  const { tx, subject, conversation } = placed;
  if (to !== 'human') {
    await handBack(placed, to, by ?? 'human');
    return MEANS_NOTHING;
  }
  const ours = await recentEffect(tx, { tenant: conversation.tenant, subject, kind: 'conversation.handOff' });
  if (ours === undefined) return takenOver(placed, 'taken_over', by);
  await recordSent(tx, { key: ours.key, providerId: null, at: placed.time });
  await takenOver(placed, 'taken_over', by);
  return { ...MEANS_NOTHING, ownEcho: true };
}

async function handBack({ tx, conversation, time }: Placed, owner: Exclude<Owner, 'human'>, by: string): Promise<void> {
  if (conversation.ownerBy !== null && Date.parse(time) < Date.parse(conversation.ownerSince)) return;
  await tx.update(conversations).set({ owner, ownerBy: by, ownerSince: time }).where(isThis(conversation));
}
