/** One conversation as others see it, and what a wake-up asks of the desk before it thinks. */
import { and, asc, eq, sql } from 'drizzle-orm';
import type { AgentKey, ConversationId, TenantId } from '../../domain/ids.ts';
import { theRow, type Db } from '../database/database.ts';
import type { ConversationRecord, SightOfRun } from '../desk.ts';
import { switches } from '../switches.ts';
import { contacts, conversations } from '../schema.ts';
import { covers } from '../switches.ts';

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

/** The conversation and the switch in one statement, built once: a wake-up pays for each. */
export function prepareSightOfRun(db: Db): (query: QueryOfSight) => Promise<SightOfRun> {
  const tenant = sql.placeholder('tenant');
  const query = db
    .select({ conversation: conversations, contact: contacts, off: switches })
    .from(sql`(select 1) as always`)
    .leftJoin(
      conversations,
      and(eq(conversations.tenant, tenant), eq(conversations.id, sql.placeholder('conversation'))),
    )
    .leftJoin(contacts, eq(contacts.id, conversations.contactId))
    .leftJoin(switches, covers({ tenant, agent: sql.placeholder('agent'), channel: conversations.channel }))
    .orderBy(asc(switches.at))
    .limit(1)
    .prepare('sight_of_run');
  return async ({ tenant, agent, conversation: id }) => {
    const { conversation, contact, off } = theRow(await query.execute({ tenant, agent, conversation: id }));
    return { conversation: conversation && toRecord({ conversation, contact }), off };
  };
}

export interface QueryOfSight {
  readonly tenant: TenantId;
  readonly agent: AgentKey;
  /** Null: the run is attached to something else. */
  readonly conversation: ConversationId | null;
}

function toRecord({
  conversation,
  contact,
}: {
  readonly conversation: typeof conversations.$inferSelect;
  readonly contact: typeof contacts.$inferSelect | null;
}): ConversationRecord {
  const { tenant, id, channel, owner, ownerSince, openedAt, closedAt, previouslyClosedAt } = conversation;
  const { lastInboundAt, lastOutboundAt, lastHumanOutboundAt } = conversation;
  return {
    ...{ tenant, id, channel, owner, ownerSince, openedAt, closedAt, previouslyClosedAt },
    ...{ lastInboundAt, lastOutboundAt, lastHumanOutboundAt },
    contact: contact && {
      id: contact.id,
      address: contact.address,
      name: contact.name,
      locale: contact.locale,
      timeZone: contact.timeZone,
      country: contact.country,
      optedOutAt: contact.optedOutAt,
      marketingStoppedAt: contact.marketingStoppedAt,
    },
  };
}
