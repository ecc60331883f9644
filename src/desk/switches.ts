/** The kill switch. */
import { and, asc, eq, or, type Placeholder, type SQL } from 'drizzle-orm';
import type { AgentKey, TenantId } from '../domain/ids.ts';
import type { Db } from './database.ts';
import type { Desk } from './desk.ts';
import type { conversations } from './schema.ts';
import { switches } from './run-schema.ts';

export function createSwitches(db: Db): Desk['switches'] {
  return {
    async turnOff(entry) {
      // The first who turned it off stays named: a repeat changes nothing.
      await db.insert(switches).values(entry).onConflictDoNothing();
    },
    async turnOn({ tenant, scope, key }) {
      const gone = await db
        .delete(switches)
        .where(and(eq(switches.tenant, tenant), eq(switches.scope, scope), eq(switches.key, key)))
        .returning({ key: switches.key });
      return gone.length > 0;
    },
    list: (tenant) => db.select().from(switches).where(eq(switches.tenant, tenant)).orderBy(asc(switches.at)),
  };
}

/** The switches that stop this agent in this channel, or in that of the row at hand. */
export function covers({
  tenant,
  agent,
  channel,
}: {
  readonly tenant: TenantId | Placeholder;
  readonly agent: AgentKey | Placeholder;
  readonly channel: string | typeof conversations.channel | null;
}): SQL | undefined {
  return and(
    eq(switches.tenant, tenant),
    or(
      eq(switches.scope, 'tenant'),
      and(eq(switches.scope, 'agent'), eq(switches.key, agent)),
      channel === null ? undefined : and(eq(switches.scope, 'channel'), eq(switches.key, channel)),
    ),
  );
}
