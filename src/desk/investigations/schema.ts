/** The tables of investigations; see `schema.ts`. */
import { sql } from 'drizzle-orm';
import { index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import type { AgentKey, EffectKey, InvestigationId, TenantId, WorkflowId } from '../../domain/ids.ts';
import { LIVE_STATUSES, type InvestigationStatus } from '../../domain/investigations.ts';
import type { Investigation } from '../../domain/schemas/investigations.ts';
import { instant, json, words } from '../database/columns.ts';
import type { ActionAttempt } from '../ports/investigations.ts';

/** As the index has it, word for word: only then is it used. */
export const IS_LIVE = sql.raw(`status in (${LIVE_STATUSES.map((status) => `'${status}'`).join(', ')})`);

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
    /** When the reconciler last compared it with Temporal, database clock. */
    checkedAt: instant('checked_at'),
  },
  (table) => [
    index('investigations_newest').on(table.tenant, table.openedAt, table.id),
    index('investigations_status').on(table.tenant, table.status, table.openedAt, table.id),
    index('investigations_unchecked').on(table.checkedAt.asc().nullsFirst()).where(IS_LIVE),
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

/** Effects that were counted: one that is tried again after the end must not open another. */
export const investigationOccurrences = pgTable('investigation_occurrences', {
  key: text().$type<EffectKey>().primaryKey(),
  tenant: text().$type<TenantId>().notNull(),
  workflowId: text('workflow_id').$type<WorkflowId>().notNull(),
  at: instant()
    .notNull()
    .default(sql`clock_timestamp()`),
});
