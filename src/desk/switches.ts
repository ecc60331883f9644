/** The kill switch. */
import { and, asc, eq, or, type Placeholder, type SQL } from 'drizzle-orm';
import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { AgentKey, TenantId } from '../domain/ids.ts';
import { instant, words } from './database/columns.ts';
import type { Db } from './database/database.ts';
import type { Desk, Switch } from './desk.ts';
import type { conversations } from './schema.ts';

export const switches = pgTable(
  'switches',
  {
    tenant: text().$type<TenantId>().notNull(),
    scope: text().$type<Switch['scope']>().notNull(),
    key: words().notNull(),
    by: words().notNull(),
    reason: words(),
    at: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.scope, table.key] })],
);

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
