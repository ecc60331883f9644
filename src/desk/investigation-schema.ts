/** The tables of investigations; see `schema.ts`. */
import { sql } from 'drizzle-orm';
import { index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import type { AgentKey, InvestigationId, TenantId } from '../domain/ids.ts';
import type { InvestigationStatus } from '../domain/investigations.ts';
import type { Investigation } from '../domain/schemas/investigations.ts';
import { instant, json, words } from './columns.ts';
import type { ActionAttempt } from './ports/investigations.ts';

export const investigations = pgTable(
  'investigations',
  {
    id: words().$type<InvestigationId>().primaryKey(),
    tenant: text().$type<TenantId>().notNull(),
    agent: text().$type<AgentKey>().notNull(),
    status: text().$type<InvestigationStatus>().notNull(),
    openedAt: instant('opened_at').notNull(),
    /** Everything, as it is shown. */
    view: json<Investigation>()().notNull(),
    /** Of the record: counts up. */
    version: integer().notNull(),
  },
  (table) => [
    index('investigations_newest').on(table.tenant, table.openedAt, table.id),
    index('investigations_status').on(table.tenant, table.status, table.openedAt, table.id),
  ],
);

export const investigationActions = pgTable('investigation_actions', {
  key: words().primaryKey(),
  tenant: text().$type<TenantId>().notNull(),
  investigation: words().$type<InvestigationId>().notNull(),
  state: text().$type<Exclude<ActionAttempt['state'], 'new'>>().notNull().default('trying'),
  reference: words(),
  detail: words(),
  since: instant()
    .notNull()
    .default(sql`clock_timestamp()`),
  changedAt: instant('changed_at')
    .notNull()
    .default(sql`clock_timestamp()`),
});
