import type { Migration } from '../migrate.ts';

export const outbox: Migration = {
  name: '0003-outbox',
  statements: [
    `create table webhook_deliveries (
      id uuid primary key,
      seq bigint not null generated always as identity,
      tenant text not null,
      endpoint text not null,
      fact text not null,
      type text not null,
      subject text not null,
      body text not null,
      state text not null default 'pending',
      round integer not null default 0,
      attempts integer not null default 0,
      last_status integer,
      last_error text,
      created_at timestamp(3) with time zone not null default clock_timestamp(),
      claimed_at timestamp(3) with time zone,
      started_at timestamp(3) with time zone,
      next_attempt_at timestamp(3) with time zone,
      finished_at timestamp(3) with time zone,
      constraint webhook_deliveries_once unique (tenant, endpoint, fact)
    )`,
    `create index webhook_deliveries_newest on webhook_deliveries (tenant, seq)`,
    `create index webhook_deliveries_state on webhook_deliveries (tenant, state, seq)`,
    `create index webhook_deliveries_pending on webhook_deliveries (seq) where state = 'pending'`,
    `create table webhook_attempts (
      delivery uuid not null references webhook_deliveries (id),
      number integer not null,
      at timestamp(3) with time zone not null,
      duration_ms integer not null,
      status integer,
      error text,
      primary key (delivery, number)
    )`,
    `create table webhook_endpoints_off (
      tenant text not null,
      endpoint text not null,
      since timestamp(3) with time zone not null default clock_timestamp(),
      by text not null,
      reason text,
      primary key (tenant, endpoint)
    )`,
  ],
};
