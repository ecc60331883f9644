/** Where the channel knows conversations and not people: the conversation's own name stands for whom to write to. */
import { conversationOf } from '../domain/ids.ts';
import type { EventInput } from '../domain/schemas/events.ts';

/** An inbound message without a contact gets one; anything else stays as it is. */
export function withCustomer(event: EventInput): EventInput {
  const conversation = event.subject === undefined ? undefined : conversationOf(event.subject);
  if (event.type !== 'message.inbound' || conversation === undefined || event.data.contact !== undefined) return event;
  return { ...event, data: { ...event.data, contact: { address: conversation } } };
}
