/** The people in Chatwoot's bodies: whom a conversation is with, and who is in charge of it. */
import type { z } from 'zod';
import type { ContactRef } from '../../domain/schemas/events.ts';
import type { ConversationPart, Person } from './webhook-schema.ts';

export function contactOf(person: Person | null | undefined): ContactRef | undefined {
  if (person == null) return undefined;
  return {
    address: `contact:${person.id}`,
    ...(person.name != null && person.name !== '' && { name: person.name.slice(0, 200) }),
  };
}

/** Null: nobody is in charge, or a bot. */
export function personInCharge({ meta }: Pick<z.infer<typeof ConversationPart>, 'meta'>): Person | null {
  const assignee = meta?.assignee ?? null;
  return meta?.assignee_type === 'AgentBot' || assignee?.type === 'agent_bot' ? null : assignee;
}
