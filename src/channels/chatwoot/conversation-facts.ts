/** Chatwoot's events about a conversation → what they say of it: opened, closed, and whose it is. */
import { createHash } from 'node:crypto';
import type { EventInput } from '../../domain/schemas/events.ts';
import { chatwootKey, subjectOf, type ChatwootConfig } from './config.ts';
import { contactOf, personInCharge } from './people.ts';
import type { ConversationEvent, Person } from './webhook-schema.ts';

/** What one of Chatwoot's events about a conversation says; empty: nothing to us. `name` is the event's. */
export function conversationEvents(
  name: string,
  conversation: ConversationEvent,
  account: ChatwootConfig,
): readonly EventInput[] {
  const contact = contactOf(conversation.meta?.sender);
  const time = conversation.updated_at ?? conversation.timestamp ?? conversation.created_at;
  const envelope = { source: chatwootKey(account.accountId), time, subject: subjectOf(conversation.id, account) };
  const held = heldFact(conversation, account);
  if (name === 'conversation_created') {
    const created = { ...envelope, id: `conversation:${conversation.id}:created`, time: conversation.created_at };
    const opened: EventInput = {
      ...created,
      type: 'conversation.opened',
      data: contact === undefined ? {} : { contact },
    };
    // Whose it is goes first, so that no agent takes it up.
    return held === undefined ? [opened] : [{ ...created, id: `${created.id}:held`, ...held }, opened];
  }
  const status = statusFact(name, conversation);
  const facts = [
    status,
    status?.type === 'conversation.opened' ? held : undefined,
    assigneeFact(conversation),
    botFact(conversation),
  ].filter((fact) => fact !== undefined);
  return facts.map(
    (fact) => ({ ...envelope, ...fact, id: derivedId(String(conversation.id), fact, time) }) as EventInput,
  );
}

type Fact = Pick<
  Extract<EventInput, { type: 'conversation.closed' | 'conversation.opened' | 'conversation.assigned' }>,
  'type' | 'data'
>;
type Assigned = Pick<Extract<EventInput, { type: 'conversation.assigned' }>, 'type' | 'data'>;

/** Opened, and people's from the start: a person is in charge already, or it is `open` where bots hold what is theirs. */
function heldFact(conversation: ConversationEvent, { agentBot }: ChatwootConfig): Assigned | undefined {
  const person = personInCharge(conversation);
  return person === null && !(agentBot && conversation.status === 'open') ? undefined : toHuman(person);
}

function toHuman(person: Person | null | undefined): Assigned {
  const by = person?.name?.slice(0, 200);
  return { type: 'conversation.assigned', data: { to: 'human', ...(by !== undefined && { by }) } };
}

/** Bots hold `pending`; moving it to `open` gives it to people, moving it back returns it. `resolved` is closed. */
function statusFact(name: string, { status, changed_attributes }: ConversationEvent): Fact | undefined {
  const change = changed_attributes?.get('status');
  if (change === undefined && name === 'conversation_updated') return undefined;
  const before = change?.previous_value;
  // What a bot is told says not how it stood before: whoever opens a bot's conversation gives it to people.
  const isToldToBot = name === 'conversation_opened' && change === undefined;
  if (status === 'resolved') return { type: 'conversation.closed', data: {} };
  if (status === 'pending' && before === 'open') return { type: 'conversation.assigned', data: { to: 'agent' } };
  if (status === 'open' && (before === 'pending' || isToldToBot)) return toHuman(null);
  if (status !== 'snoozed' && before === 'resolved') return { type: 'conversation.opened', data: {} };
  return undefined;
}

/** A person was put in charge. That one was taken off again gives nothing back: only `pending` or a resume does. */
function assigneeFact({ changed_attributes, meta }: ConversationEvent): Fact | undefined {
  const change = changed_attributes?.get('assignee_id');
  return change?.current_value == null ? undefined : toHuman(meta?.assignee);
}

/** The bot was taken off: people have it. That one was put on says nothing yet, `pending` does. */
function botFact({ changed_attributes }: ConversationEvent): Fact | undefined {
  const change = changed_attributes?.get('assignee_agent_bot_id');
  const isGone = change?.previous_value != null && change.current_value == null;
  return isGone ? toHuman(null) : undefined;
}

/** Chatwoot gives such events no id; its retries repeat the body, so the same change has the same one. */
function derivedId(conversation: string, fact: Fact, time: string): string {
  return createHash('sha256')
    .update([conversation, fact.type, JSON.stringify(fact.data), time].join('\n'))
    .digest('hex');
}
