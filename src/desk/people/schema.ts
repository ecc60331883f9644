/** The tables of keys, sessions, the audit and of requests that may come twice; see `../schema.ts`. */
import { sql } from 'drizzle-orm';
import { type AnyPgColumn, bigint, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { TenantId } from '../../domain/ids.ts';
import type { Role } from '../../domain/roles.ts';
import { instant, words } from '../database/columns.ts';
import { now } from '../database/database.ts';

export const apiKeys = pgTable(
  'api_keys',
  {
    id: text().primaryKey(),
    seq: bigint({ mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    tenant: text().$type<TenantId>().notNull(),
    name: text().notNull(),
    role: text().$type<Role>().notNull(),
    /** SHA-256 of the secret, hex. */
    hash: text().notNull(),
    createdAt: instant('created_at').notNull().default(now),
    createdBy: words('created_by').notNull(),
    expiresAt: instant('expires_at'),
    revokedAt: instant('revoked_at'),
    replacedBy: text('replaced_by').references((): AnyPgColumn => apiKeys.id),
  },
  (table) => [
    index('api_keys_newest').on(table.tenant, table.seq),
    uniqueIndex('api_keys_name')
      .on(table.tenant, table.name)
      .where(sql`revoked_at is null and replaced_by is null`),
  ],
);

export const sessions = pgTable(
  'sessions',
  {
    /** SHA-256 of the cookie, hex. */
    hash: text().primaryKey(),
    keyId: text('key_id').references(() => apiKeys.id),
    /** Of a key of ATTACHE_API_KEYS. */
    fingerprint: text(),
    person: words().notNull(),
    createdAt: instant('created_at').notNull().default(now),
    seenAt: instant('seen_at').notNull().default(now),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [index('sessions_expiry').on(table.expiresAt)],
);

export const audit = pgTable(
  'audit',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    tenant: text().$type<TenantId | '*'>().notNull(),
    at: instant().notNull().default(now),
    actor: words().notNull(),
    act: text().notNull(),
    target: words().notNull(),
    reason: words(),
    status: integer(),
  },
  (table) => [
    index('audit_newest').on(table.tenant, table.id),
    index('audit_target').on(table.tenant, table.target, table.id),
  ],
);

export const idempotency = pgTable(
  'idempotency',
  {
    tenant: text().$type<TenantId>().notNull(),
    route: words().notNull(),
    key: words().notNull(),
    bodyHash: text('body_hash').notNull(),
    startedAt: instant('started_at').notNull().default(now),
    /** Null while it is being executed. */
    status: integer(),
    body: words(),
  },
  (table) => [
    primaryKey({ columns: [table.tenant, table.route, table.key] }),
    index('idempotency_age').on(table.startedAt),
  ],
);
