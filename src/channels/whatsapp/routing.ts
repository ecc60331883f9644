/**
 * Conversation Routing: several responders share one number and one of them holds a thread. While another holds it we
 * observe and never answer, since a service message of ours would take the thread over.
 * Source: Meta, "Standby webhooks" (August 2026) and "messaging_handovers" (September 2026).
 */
import type { ChannelEvent } from '../../domain/schemas/events.ts';
import { contactOf } from './identity.ts';
import { derivedId, UnreadableUpdate } from './parse-messages.ts';
import type { Handover } from './webhook-schema.ts';

const OTHER_RESPONDER = 'another responder on the number';

/** What a standby copy tells besides its own content: somebody else holds this conversation. Stored before the copy itself. */
export function standbyNotice(copy: ChannelEvent): ChannelEvent {
  return {
    id: `${copy.id}:standby`.slice(-512),
    source: copy.source,
    time: copy.time,
    address: copy.address,
    type: 'conversation.assigned',
    data: { to: 'human', by: OTHER_RESPONDER },
  };
}

/** `control_taken` is sent to the one who held it, `control_passed` to the one who holds it now. @throws {UnreadableUpdate} */
export function handoverEvent(handover: Handover, source: string): ChannelEvent {
  const contact = contactOf({ phone: handover.sender.phone_number, userId: handover.sender.user_id });
  if (contact === undefined)
    throw new UnreadableUpdate('the handover names no person (sender.phone_number, sender.user_id)');
  const taken = handover.control_taken !== undefined;
  if (!taken && handover.control_passed === undefined)
    throw new UnreadableUpdate('the handover is neither control_passed nor control_taken');
  return {
    id: derivedId('handover', contact.address, taken ? 'taken' : 'passed', handover.timestamp),
    source,
    time: handover.timestamp,
    address: contact,
    type: 'conversation.assigned',
    data: { to: taken ? 'human' : 'agent', by: OTHER_RESPONDER },
  };
}
