/** A fact on its way in, and what can be told of it before anybody has looked where it belongs. */
import type { ChannelEvent, ContactRef } from '../../domain/schemas/events.ts';
import type { PartialRef } from '../conversations/contacts.ts';
import type { IntakeItem } from '../ports/intake.ts';

export type Fact = IntakeItem;

/** A status is about a message, and belongs where that is, whoever read it. */
export function isByContact(event: Fact['event']): event is ChannelEvent {
  return event.subject === undefined && 'address' in event && event.type !== 'message.status';
}

function isMessage({ type }: Fact['event']): boolean {
  return type === 'message.inbound' || type === 'message.outbound';
}

/** A message; or that somebody else holds the person's thread, which is told before anything that is said in it. */
export function isBeginning(event: Fact['event']): boolean {
  return isMessage(event) || (event.type === 'conversation.assigned' && event.data.to === 'human');
}

/** Facts of other systems about a conversation do not make it one of ours. */
export function isReasonToRemember(event: Fact['event']): boolean {
  return (
    isMessage(event) ||
    event.type.startsWith('conversation.') ||
    event.type === 'takeover' ||
    event.type === 'contact.updated'
  );
}

/** What the fact tells of the person. */
export function refOf(event: Fact['event']): PartialRef {
  if ('address' in event)
    return event.type === 'contact.updated' ? alsoNamed(event.address, event.data) : event.address;
  if (event.type === 'contact.updated') return event.data;
  const { data } = event;
  return typeof data === 'object' && data !== null && 'contact' in data && !event.type.startsWith('custom.')
    ? ((data.contact as PartialRef | undefined) ?? {})
    : {};
}

/** Somebody changed their names: found by the old ones, and known by the new ones from now on. */
function alsoNamed(old: ContactRef, { address, aliases = [], ...told }: PartialRef): PartialRef {
  const names = [...(old.aliases ?? []), ...(address === undefined ? [] : [address]), ...aliases];
  return { ...old, ...told, aliases: names };
}
