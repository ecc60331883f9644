/** The tables of what goes out, and of what holds it back; see `../schema.ts`. */
import { sql } from 'drizzle-orm';
import { boolean, doublePrecision, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { AttachmentId, EffectKey, Subject, TenantId } from '../../domain/ids.ts';
import type { Effect, EffectKind } from '../../domain/schemas/effects.ts';
import { instant, json, words } from '../database/columns.ts';
import type { LedgerState } from '../desk.ts';

export const ledger = pgTable(
  'ledger',
  {
    key: words().$type<EffectKey>().primaryKey(),
    tenant: text().$type<TenantId>().notNull(),
    subject: text().$type<Subject>().notNull(),
    attachment: words().$type<AttachmentId>().notNull(),
    kind: text().$type<EffectKind>().notNull(),
    effect: json<Effect>()().notNull(),
    proactive: boolean().notNull(),
    reference: words().notNull(),
    state: text().$type<LedgerState>().notNull().default('claimed'),
    attempt: words().notNull(),
    providerId: words('provider_id'),
    reason: words(),
    /** Held back by `reason` until then. */
    dueAt: instant('due_at'),
    /** Database clock. */
    sendingSince: instant('sending_since'),
    /** When the sender says that the provider had it. */
    sentAt: instant('sent_at'),
    /** When a fact from outside was taken for the echo of it: no other is. Database clock. */
    echoedAt: instant('echoed_at'),
    claimedAt: instant('claimed_at')
      .notNull()
      .default(sql`clock_timestamp()`),
    /** Of the last change of state, database clock. */
    changedAt: instant('changed_at')
      .notNull()
      .default(sql`clock_timestamp()`),
  },
  (table) => [
    index('ledger_subject').on(table.tenant, table.subject, table.changedAt),
    index('ledger_attachment').on(table.attachment),
    index('ledger_held')
      .on(table.tenant, table.dueAt)
      .where(sql`state = 'claimed' and due_at is not null`),
    uniqueIndex('ledger_reference').on(table.reference),
    index('ledger_provider_id').on(table.tenant, table.providerId),
  ],
);

export const limits = pgTable('limits', {
  key: words().primaryKey(),
  /** When the bucket will be full again, in seconds of the database's clock: all that a token bucket needs to remember. */
  fullAt: doublePrecision('full_at').notNull(),
  granted: boolean().notNull(),
});

/** Channels whose provider refuses everything of ours until a person mends it. Database clock. */
export const shutChannels = pgTable(
  'shut_channels',
  {
    tenant: text().$type<TenantId>().notNull(),
    channel: words().notNull(),
    code: words().notNull(),
    /** In a row. */
    refusals: integer().notNull(),
    since: instant().notNull(),
    until: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.channel] })],
);
