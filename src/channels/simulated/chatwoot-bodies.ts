/** Webhook bodies and REST answers in Chatwoot's form, for the simulated one. Invented people only. */
import type { ChatwootMessage, SimulatedConversation } from './chatwoot-simulator.ts';

export const CONTACT = { id: 7, name: 'Ana Lima', type: 'contact' };
export const HUMAN = { id: 3, name: 'Rui', type: 'user' };
export const BOT = { id: 9, name: 'Attaché', type: 'agent_bot' };

const TYPES = ['incoming', 'outgoing', 'activity', 'template'] as const;

/** In REST answers a type is a number and an instant unix seconds; in webhooks they are words and ISO text. */
export function restBody(
  { id, content, type, private: isPrivate, attributes, sender, at }: ChatwootMessage,
  attachments: readonly object[],
): object {
  const created_at = Math.floor(at / 1_000);
  return {
    id,
    content,
    message_type: TYPES.indexOf(type),
    private: isPrivate,
    content_attributes: attributes,
    created_at,
    sender,
    ...(attachments.length > 0 && { attachments }),
  };
}

export function messageBody(
  message: ChatwootMessage,
  accountId: number,
  conversation: SimulatedConversation,
  attachments: readonly object[],
): object {
  const { id, content, type, attributes, sender, at } = message;
  return {
    id,
    content,
    message_type: type,
    private: message.private,
    content_type: 'text',
    content_attributes: attributes,
    additional_attributes: additionalOf(message),
    created_at: new Date(at).toISOString(),
    account: { id: accountId },
    conversation: conversationBody(conversation),
    sender,
    ...(attachments.length > 0 && { attachments }),
  };
}

/** In the list of conversations: with the newest message, in full. */
export function listedBody(conversation: SimulatedConversation, newest: ChatwootMessage | null): object {
  const last = newest === null ? null : { id: newest.id, additional_attributes: additionalOf(newest) };
  return {
    ...conversationBody(conversation),
    messages: last === null ? [] : [last],
    last_non_activity_message: last,
  };
}

function additionalOf({ campaign }: ChatwootMessage): object {
  return campaign === null ? {} : { campaign_id: campaign };
}

export function conversationBody({ id, status, assignee, createdAt, canReply, ...at }: SimulatedConversation): object {
  const meta = { sender: CONTACT, assignee: assignee === null ? null : { ...HUMAN, name: assignee } };
  return {
    id,
    status,
    meta,
    can_reply: canReply,
    created_at: Math.floor(createdAt / 1_000),
    updated_at: at.updatedAt / 1_000,
    last_activity_at: Math.floor(at.lastActivityAt / 1_000),
  };
}
