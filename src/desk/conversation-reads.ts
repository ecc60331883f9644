/** One conversation as others see it, and what a wake-up asks of the desk before it thinks. */
import { and, asc, eq } from 'drizzle-orm';
import type { AgentKey, ConversationId, TenantId } from '../domain/ids.ts';
import type { Db } from './database.ts';
import type { ConversationRecord, SightOfRun } from './desk.ts';
import { switches } from './run-schema.ts';
import { contacts, conversations } from './schema.ts';
import { coveringSwitch, covers } from './switches.ts';

export async function getConversation(
  db: Db,
  tenant: TenantId,
  id: ConversationId,
): Promise<ConversationRecord | null> {
  const [row] = await db
    .select({ conversation: conversations, contact: contacts })
    .from(conversations)
    .leftJoin(contacts, eq(contacts.id, conversations.contactId))
    .where(and(eq(conversations.tenant, tenant), eq(conversations.id, id)));
  return row === undefined ? null : toRecord(row);
}

/** The conversation and the switch in one statement: a wake-up pays for each. */
export async function sightOfRun(
  db: Db,
  { tenant, agent, conversation: id }: { tenant: TenantId; agent: AgentKey; conversation: ConversationId | null },
): Promise<SightOfRun> {
  const [row] =
    id === null
      ? []
      : await db
          .select({ conversation: conversations, contact: contacts, off: switches })
          .from(conversations)
          .leftJoin(contacts, eq(contacts.id, conversations.contactId))
          .leftJoin(switches, covers({ tenant, agent, channel: conversations.channel }))
          .where(and(eq(conversations.tenant, tenant), eq(conversations.id, id)))
          .orderBy(asc(switches.at))
          .limit(1);
  if (row !== undefined) return { conversation: toRecord(row), off: row.off };
  return { conversation: null, off: await coveringSwitch(db, { tenant, agent, channel: null }) };
}

function toRecord({
  conversation,
  contact,
}: {
  readonly conversation: typeof conversations.$inferSelect;
  readonly contact: typeof contacts.$inferSelect | null;
}): ConversationRecord {
  const { tenant, id, channel, owner, ownerSince, openedAt, closedAt } = conversation;
  const { lastInboundAt, lastOutboundAt, lastHumanOutboundAt } = conversation;
  return {
    ...{ tenant, id, channel, owner, ownerSince, openedAt, closedAt },
    ...{ lastInboundAt, lastOutboundAt, lastHumanOutboundAt },
    contact: contact && {
      id: contact.id,
      address: contact.address,
      name: contact.name,
      locale: contact.locale,
      timeZone: contact.timeZone,
      country: contact.country,
      optedOutAt: contact.optedOutAt,
    },
  };
}
