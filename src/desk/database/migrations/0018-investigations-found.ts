import type { Migration } from '../migrate.ts';

/** Which effects an investigation has counted, which are to be compared with Temporal, and what is told of them to streams. */
export const investigationsFound: Migration = {
  name: '0018-investigations-found',
  statements: [
    `create table investigation_occurrences (
      key text primary key,
      tenant text not null,
      workflow_id text not null,
      at timestamp(3) with time zone not null default clock_timestamp()
    )`,
    `alter table investigations add column checked_at timestamp(3) with time zone`,
    `create index investigations_unchecked on investigations (checked_at nulls first)
      where status in ('investigating', 'proposed', 'approved', 'executing')`,
    `create function attache_tell_investigation() returns trigger language plpgsql as $$
    begin
      perform attache_tell(new.tenant, 'investigation', new.view -> 'openedBy' ->> 'subject',
        jsonb_build_object('id', new.id, 'agent', new.agent, 'status', new.status));
      return null;
    end $$`,
    `create trigger investigations_told_new after insert on investigations for each row
      execute function attache_tell_investigation()`,
    `create trigger investigations_told after update on investigations for each row
      when (old.version is distinct from new.version) execute function attache_tell_investigation()`,
  ],
};
