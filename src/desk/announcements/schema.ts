/** The tables of outgoing webhooks; see `../schema.ts`. Instants are the database's clock unless a comment says otherwise. */
import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import type { Subject, TenantId } from '../../domain/ids.ts';
import type { WebhookState, WebhookType } from '../../domain/webhooks.ts';
import { instant, words } from '../database/columns.ts';

export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: uuid().primaryKey(),
    seq: bigint({ mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    tenant: text().$type<TenantId>().notNull(),
    endpoint: text().notNull(),
    /** What happened, named so that it is told once, however often it is written down. */
    fact: words().notNull(),
    type: text().$type<WebhookType>().notNull(),
    subject: text().$type<Subject>().notNull(),
    /** The very bytes that are signed and sent. */
    body: words().notNull(),
    state: text().$type<WebhookState>().notNull().default('pending'),
    /** Counts an operator's redeliveries: what an earlier round still reports changes nothing. */
    round: integer().notNull().default(0),
    attempts: integer().notNull().default(0),
    lastStatus: integer('last_status'),
    lastError: words('last_error'),
    createdAt: instant('created_at')
      .notNull()
      .default(sql`clock_timestamp()`),
    /** Some process is about to start its workflow. */
    claimedAt: instant('claimed_at'),
    /** Temporal has its workflow. */
    startedAt: instant('started_at'),
    nextAttemptAt: instant('next_attempt_at'),
    finishedAt: instant('finished_at'),
  },
  (table) => [
    unique('webhook_deliveries_once').on(table.tenant, table.endpoint, table.fact),
    index('webhook_deliveries_newest').on(table.tenant, table.seq),
    index('webhook_deliveries_state').on(table.tenant, table.state, table.seq),
    index('webhook_deliveries_pending')
      .on(table.seq)
      .where(sql`state = 'pending'`),
  ],
);

export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    delivery: uuid()
      .notNull()
      .references(() => webhookDeliveries.id),
    number: integer().notNull(),
    at: instant().notNull(),
    durationMs: integer('duration_ms').notNull(),
    /** Null: no answer. */
    status: integer(),
    error: words(),
  },
  (table) => [primaryKey({ columns: [table.delivery, table.number] })],
);

/** Endpoints that said 410, or that an operator switched off. */
export const webhookEndpointsOff = pgTable(
  'webhook_endpoints_off',
  {
    tenant: text().$type<TenantId>().notNull(),
    endpoint: text().notNull(),
    since: instant()
      .notNull()
      .default(sql`clock_timestamp()`),
    by: words().notNull(),
    reason: words(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.endpoint] })],
);
