import type { Migration } from '../migrate.ts';

export const investigations: Migration = {
  name: '0011-investigations',
  statements: [
    `create table investigations (
      id text primary key,
      tenant text not null,
      agent text not null,
      status text not null,
      opened_at timestamp(3) with time zone not null,
      view jsonb not null,
      version integer not null
    )`,
    `create index investigations_newest on investigations (tenant, opened_at, id)`,
    `create index investigations_status on investigations (tenant, status, opened_at, id)`,
    `create table investigation_actions (
      key text primary key,
      tenant text not null,
      investigation text not null,
      state text not null default 'trying',
      reference text,
      detail text,
      since timestamp(3) with time zone not null default clock_timestamp(),
      changed_at timestamp(3) with time zone not null default clock_timestamp()
    )`,
  ],
};
