/**
 * Is what a poll tells news? Messages are known by their ids. Who holds a conversation is told as a change against the look
 * before, so it may be what a webhook told meanwhile under another instant, or what somebody has decided otherwise since.
 */
import type { InboundItem } from '../channels/inbound.ts';
import type { Desk } from '../desk/desk.ts';
import { conversationOf } from '../domain/ids.ts';

/** Those of a conversation between two polls; where there are more, a change is told twice, which changes nothing. */
const LATELY = 100;

export async function isNews(
  { conversations, events }: Pick<Desk, 'conversations' | 'events'>,
  { tenant, event }: InboundItem,
  since: string,
): Promise<boolean> {
  const { subject } = event;
  const id = subject === undefined ? undefined : conversationOf(subject);
  if (
    subject === undefined ||
    id === undefined ||
    !event.type.startsWith('conversation.') ||
    event.id.endsWith(':created')
  )
    return true;
  const known = await conversations.get(tenant, id);
  switch (event.type) {
    case 'conversation.closed':
      return known !== null && known.closedAt === null;
    case 'conversation.opened':
      return known !== null && known.closedAt !== null;
    case 'conversation.assigned': {
      if (known === null || known.closedAt !== null || (event.data.to === 'human') === (known.owner === 'human'))
        return false;
      // Moved back to the bot, and a person wrote all the same: it stays theirs.
      if (event.data.to !== 'human' && (known.lastHumanOutboundAt ?? '') >= since) return false;
      const lately = await events.list({ tenant, subject, limit: LATELY });
      const { to } = event.data;
      return !lately.items.some(
        ({ type, data, time }) => type === event.type && time >= since && (data as { readonly to?: unknown }).to === to,
      );
    }
    default:
      return true;
  }
}
