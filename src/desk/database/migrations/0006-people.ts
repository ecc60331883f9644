import type { Migration } from '../migrate.ts';

/** Who may ask and who asked for what; answers kept for requests that come twice. */
export const people: Migration = {
  name: '0006-people',
  statements: [
    `create table api_keys (
      id text primary key,
      seq bigint not null generated always as identity,
      tenant text not null,
      name text not null,
      role text not null,
      hash text not null,
      created_at timestamp(3) with time zone not null default clock_timestamp(),
      created_by text not null,
      expires_at timestamp(3) with time zone,
      revoked_at timestamp(3) with time zone,
      replaced_by text references api_keys (id)
    )`,
    `create index api_keys_newest on api_keys (tenant, seq)`,
    `create unique index api_keys_name on api_keys (tenant, name) where revoked_at is null and replaced_by is null`,
    `create table sessions (
      hash text primary key,
      key_id text references api_keys (id),
      fingerprint text,
      person text not null,
      created_at timestamp(3) with time zone not null default clock_timestamp(),
      seen_at timestamp(3) with time zone not null default clock_timestamp(),
      expires_at timestamp(3) with time zone not null
    )`,
    `create index sessions_expiry on sessions (expires_at)`,
    `create table audit (
      id bigint primary key generated always as identity,
      tenant text not null,
      at timestamp(3) with time zone not null default clock_timestamp(),
      actor text not null,
      act text not null,
      target text not null,
      reason text,
      status integer
    )`,
    `create index audit_newest on audit (tenant, id)`,
    `create index audit_target on audit (tenant, target, id)`,
    `create table idempotency (
      tenant text not null,
      route text not null,
      key text not null,
      body_hash text not null,
      started_at timestamp(3) with time zone not null default clock_timestamp(),
      status integer,
      body text,
      primary key (tenant, route, key)
    )`,
    `create index idempotency_age on idempotency (started_at)`,
  ],
};
