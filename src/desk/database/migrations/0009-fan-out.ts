import type { Migration } from '../migrate.ts';

export const fanOut: Migration = {
  name: '0009-fan-out',
  statements: [
    `create table followers (
      tenant text not null,
      topic text not null,
      attachment text not null,
      primary key (tenant, topic, attachment)
    )`,
    `create index followers_attachment on followers (attachment)`,
    `create index runs_live on runs (tenant, attachment) where status = 'IN_PROGRESS'`,
    `create table fan_outs (
      id uuid primary key default gen_random_uuid(),
      seq bigint not null generated always as identity,
      tenant text not null,
      kind text not null,
      key text not null,
      task jsonb not null,
      event uuid,
      state text not null,
      total integer not null,
      done integer not null default 0,
      skipped integer not null default 0,
      failed integer not null default 0,
      place text not null default '',
      exhausted boolean not null default false,
      created_at timestamp(3) with time zone not null,
      started_at timestamp(3) with time zone,
      touched_at timestamp(3) with time zone not null,
      finished_at timestamp(3) with time zone,
      constraint fan_outs_once unique (tenant, kind, key)
    )`,
    `create index fan_outs_newest on fan_outs (tenant, kind, seq)`,
    `create index fan_outs_event on fan_outs (event, seq)`,
    `create index fan_outs_running on fan_outs (touched_at) where finished_at is null`,
    `create index fan_outs_finished on fan_outs (finished_at)`,
    `create table fan_out_recipients (
      fan_out uuid not null references fan_outs (id) on delete cascade,
      attachment text not null,
      subject text not null,
      slot text not null,
      workflow_id text not null,
      state text not null default 'pending',
      reason text,
      attempts integer not null default 0,
      at timestamp(3) with time zone,
      primary key (fan_out, attachment)
    )`,
    `create index fan_out_recipients_state on fan_out_recipients (fan_out, state, attachment)`,
  ],
};
