import type { Migration } from '../migrate.ts';

/** The demo ERP's own schema: apart from the desk's, since a real ERP would be somewhere else. Queries: src/erp/demo/. */
export const demoErp: Migration = {
  name: '0010-demo-erp',
  statements: [
    'create schema erp',
    // `last_seq` is held by whoever writes, until it commits: the order of `seq` is the order of commit.
    `create table erp.businesses (
      tenant text primary key,
      seed text not null,
      size text not null,
      currency text not null,
      until date not null,
      last_seq bigint not null default 0,
      is_open boolean not null default false
    )`,
    `create table erp.records (
      tenant text not null,
      kind text not null,
      id text not null,
      seq bigint not null,
      data jsonb not null,
      primary key (tenant, kind, id)
    )`,
    'create unique index records_changes on erp.records (tenant, seq)',
    'create index records_by_kind on erp.records (tenant, kind, seq)',
    // What sums up demand reads the days it asks for, not the year.
    `create index records_orders on erp.records (tenant, (data->>'placedAt')) where kind = 'order'`,
    `create table erp.writes (
      tenant text not null,
      key text not null,
      fingerprint text not null,
      done jsonb not null,
      at timestamp(3) with time zone not null default clock_timestamp(),
      primary key (tenant, key)
    )`,
    // Up to where the changes of each tenant's ERP, whatever its kind, have been made events.
    `create table erp.feeds (tenant text primary key, cursor text not null)`,
  ],
};
