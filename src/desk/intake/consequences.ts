/** What a fact changes besides being stored, in the transaction that stores it; and what it means for runs. */
import { isOptIn, isOptOut } from '../../domain/opt-out.ts';
import { textOf } from '../../domain/contents.ts';
import { isTopic, type TenantId } from '../../domain/ids.ts';
import type { EventInput } from '../../domain/schemas/events.ts';
import { type ContactRow, createContact, learn, recordMarketing } from '../conversations/contacts.ts';
import { closing } from '../conversations/conversations.ts';
import type { Db } from '../database/database.ts';
import type { EventMeaning, Owner } from '../desk.ts';
import type { TellFailed } from '../sends/ledger.ts';
import { hasRunSince } from '../conversations/ownership.ts';
import { conversations, type ConversationRow } from '../schema.ts';
import type { Changes } from './changes.ts';
import { addMessage, applyDeleted, applyEdited, applyOutbound, applyStatus } from './messages.ts';
import { takeEcho } from './own-traces.ts';
import type { Fact } from './fact.ts';
import type { Place } from './place.ts';
import { later, MEANS_NOTHING, type Placed, takenOver } from './placed.ts';

type Of<Type extends EventInput['type']> = Extract<EventInput, { readonly type: Type }>;

export async function applyConsequences(
  tx: Db,
  { event: { type, data, time, ...envelope }, tenant }: Fact,
  { place, changes, tellFailed }: { readonly place: Place; readonly changes: Changes; readonly tellFailed: TellFailed },
): Promise<EventMeaning> {
  const { subject, conversation } = place;
  const event = { type, data } as Pick<EventInput, 'type' | 'data'> as EventInput;
  if (subject === null || isTopic(subject) || conversation === null) {
    if (event.type === 'contact.updated' && event.data.marketing !== undefined)
      await applyMarketing(tx, event.data, { contact: await personOf(tx, { tenant, place, at: time }), at: time });
    return event.type === 'takeover'
      ? { ...MEANS_NOTHING, humanTookOver: { cause: 'taken_over', actor: event.data.by ?? 'human' } }
      : MEANS_NOTHING;
  }
  const spoke = event.type === 'message.inbound';
  const contact = await learnContact(tx, { tenant, conversation, place, changes, spoke, at: time });
  const placed = { tx, subject, conversation, time, changes, tellFailed };
  switch (event.type) {
    case 'message.inbound':
      return applyInbound(placed, event.data, contact);
    case 'message.outbound':
      return applyOutbound(placed, event.data);
    case 'message.status':
      await applyStatus(placed, event.data, contact);
      return MEANS_NOTHING;
    case 'message.edited':
      await applyEdited(placed, event.data);
      return MEANS_NOTHING;
    case 'message.deleted':
      await applyDeleted(placed, event.data);
      return MEANS_NOTHING;
    case 'conversation.opened':
      reopen(placed);
      return MEANS_NOTHING;
    case 'conversation.closed':
      return applyClosed(placed, event.data);
    case 'conversation.assigned':
      return applyAssigned(placed, event.data);
    case 'contact.updated':
      // A channel says that these are their new names: replies go to them. Of the API's contacts the address is a name more.
      if ('address' in envelope && event.data.address !== undefined && changes.contact.knownAt !== undefined)
        changes.contact.address = event.data.address;
      await applyMarketing(tx, event.data, { contact, at: time });
      return MEANS_NOTHING;
    case 'takeover':
      return takenOver(placed, 'taken_over', event.data.by);
    default:
      return MEANS_NOTHING;
  }
}

interface OfPerson {
  readonly tenant: TenantId;
  readonly place: Place;
  readonly at: string;
}

/** Whom the fact is about, made where it names somebody unknown. */
async function personOf(tx: Db, { tenant, place, at }: OfPerson): Promise<ContactRow | null> {
  const { contact, channel, ref } = place;
  const { address } = ref;
  return (
    contact ?? (address === undefined ? null : createContact(tx, { tenant, channel, ref: { ...ref, address }, at }))
  );
}

async function applyMarketing(
  tx: Db,
  { marketing }: Of<'contact.updated'>['data'],
  { contact, at }: { readonly contact: ContactRow | null; readonly at: string },
): Promise<void> {
  if (marketing !== undefined && contact !== null) await recordMarketing(tx, { contact: contact.id, marketing, at });
}

/** Who the person is now. */
async function learnContact(
  tx: Db,
  {
    conversation,
    changes,
    spoke,
    ...of
  }: OfPerson & {
    readonly conversation: ConversationRow;
    readonly changes: Changes;
    readonly spoke: boolean;
  },
): Promise<ContactRow | null> {
  const { tenant, at } = of;
  const { contact: known, channel, ref, knowsNames } = of.place;
  const contact = await personOf(tx, of);
  const learnt = learn({ conversation, contact, ref, at, spoke });
  if (learnt === null) return null;
  changes.contactId = learnt.contact.id;
  if (Object.values(ref).some((told) => told !== undefined)) Object.assign(changes.contact, learnt.changes);
  if (known !== null && !knowsNames) changes.names = { tenant, channel, ref };
  if (learnt.isNewHere) changes.conversation.contactId = learnt.contact.id;
  return contact;
}

function applyInbound(
  placed: Placed,
  message: Of<'message.inbound'>['data'],
  contact: ContactRow | null,
): EventMeaning {
  const { changes, time } = placed;
  const { content, providerId } = message;
  addMessage(placed, { direction: 'in', author: 'customer', content, providerId });
  reopen(placed);
  changes.conversation.lastInboundAt = later(conversations.lastInboundAt, time);
  return { ...MEANS_NOTHING, optOut: applyConsent(placed, textOf(content) ?? '', contact) };
}

/** Answers whether the person has opted out by this message, and has not opted in again since. */
function applyConsent({ changes, time }: Placed, text: string, contact: ContactRow | null): boolean {
  const [out, back] = [isOptOut(text), isOptIn(text)];
  if (!out && !back) return false;
  // A word of a person unknown here still ends the run that hears it.
  if (contact === null) return out;
  if (contact.consentAt !== null && Date.parse(time) < Date.parse(contact.consentAt)) return false;
  Object.assign(changes.contact, { optedOutAt: out ? time : null, consentAt: time });
  return out;
}

/** A closed conversation in which something began again after its end; an older fact does not reopen it. */
function reopen({ changes, conversation, time }: Placed): void {
  const { closedAt: previouslyClosedAt } = conversation;
  if (previouslyClosedAt === null || Date.parse(time) <= Date.parse(previouslyClosedAt)) return;
  const anew = { closedAt: null, openedAt: time, owner: 'none', ownerBy: 'system', ownerSince: time } as const;
  Object.assign(changes.conversation, { ...anew, previouslyClosedAt });
}

async function applyClosed(placed: Placed, { by }: Of<'conversation.closed'>['data']): Promise<EventMeaning> {
  const { tx, subject, conversation, time, changes } = placed;
  const ours = await takeEcho(tx, { tenant: conversation.tenant, subject, kind: 'conversation.close', time });
  const closed = closing(conversation, { at: time, by: by ?? (ours === undefined ? 'human' : 'agent') });
  Object.assign(changes.conversation, closed);
  if (ours !== undefined) return { ...MEANS_NOTHING, ownEcho: true };
  // The customer wrote since, or it was closed already; but a run that was live when it happened was closed on.
  const concerns =
    closed !== null ||
    (conversation.closedAt === null && (await hasRunSince(tx, { tenant: conversation.tenant, subject, time })));
  return concerns
    ? { ...MEANS_NOTHING, humanTookOver: { cause: 'closed_by_human', actor: by ?? 'human' } }
    : MEANS_NOTHING;
}

async function applyAssigned(placed: Placed, { to, by }: Of<'conversation.assigned'>['data']): Promise<EventMeaning> {
  const { tx, subject, conversation, time } = placed;
  if (to !== 'human') {
    letGo(placed, to, by ?? 'human');
    return MEANS_NOTHING;
  }
  const ours = await takeEcho(tx, { tenant: conversation.tenant, subject, kind: 'conversation.handOff', time });
  const meaning = await takenOver(placed, 'taken_over', by);
  return ours === undefined ? meaning : { ...MEANS_NOTHING, ownEcho: true };
}

/** No human holds it any more. That an agent shall have it makes nobody its owner yet: the delivery gives it back to one. */
function letGo({ changes, conversation, time }: Placed, to: Exclude<Owner, 'human'>, by: string): void {
  if (conversation.ownerBy !== null && Date.parse(time) < Date.parse(conversation.ownerSince)) return;
  if (to === 'agent' && conversation.owner === 'agent') return;
  Object.assign(changes.conversation, { owner: 'none', ownerBy: by, ownerSince: time });
}
