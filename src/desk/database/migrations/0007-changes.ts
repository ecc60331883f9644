import type { Migration } from '../migrate.ts';

/**
 * What changed, told by the tables themselves: in the transaction of the change, whoever writes it. Only hints of what to
 * read again, never a customer's words; kept for minutes, so unlogged: after a crash everybody reads everything again.
 */
export const changes: Migration = {
  name: '0007-changes',
  statements: [
    `create unlogged table changes (
      seq bigint primary key generated always as identity,
      at timestamp(3) with time zone not null default clock_timestamp(),
      tenant text not null,
      type text not null,
      subject text,
      data jsonb not null
    )`,
    `create function attache_tell(tenant text, type text, subject text, data jsonb) returns void language sql as $$
      insert into changes (tenant, type, subject, data) values (tenant, type, subject, data)
    $$`,

    `create function attache_tell_run() returns trigger language plpgsql as $$
    begin
      perform attache_tell(new.tenant, 'run', new.subject, jsonb_strip_nulls(jsonb_build_object('id', new.attachment,
        'slot', new.slot, 'status', new.status, 'reason', new.reason, 'phase', new.phase, 'ticks', new.ticks)));
      return null;
    end $$`,
    `create trigger runs_told_new after insert on runs for each row execute function attache_tell_run()`,
    `create trigger runs_told after update on runs for each row
      when ((old.status, old.phase, old.next_run_at, old.ticks, old.failures, old.agent_version)
        is distinct from (new.status, new.phase, new.next_run_at, new.ticks, new.failures, new.agent_version))
      execute function attache_tell_run()`,

    `create function attache_tell_effect() returns trigger language plpgsql as $$
    begin
      perform attache_tell(new.tenant, 'effect', new.subject,
        jsonb_build_object('id', new.attachment, 'effect', new.key, 'state', new.state));
      return null;
    end $$`,
    `create trigger ledger_told after update on ledger for each row
      when ((old.state, old.reason, old.due_at) is distinct from (new.state, new.reason, new.due_at))
      execute function attache_tell_effect()`,

    `create function attache_tell_act() returns trigger language plpgsql as $$
    begin
      perform attache_tell(new.tenant, 'act', new.subject,
        jsonb_strip_nulls(jsonb_build_object('id', new.attachment, 'slot', new.slot, 'act', new.act)));
      return null;
    end $$`,
    `create trigger acts_told after insert on acts for each row execute function attache_tell_act()`,

    `create function attache_tell_message() returns trigger language plpgsql as $$
    begin
      perform attache_tell(new.tenant, 'message', 'conversation/' || new.conversation,
        jsonb_strip_nulls(jsonb_build_object('message', new.id, 'direction', new.direction, 'status', new.status)));
      return null;
    end $$`,
    `create trigger messages_told_new after insert on messages for each row execute function attache_tell_message()`,
    `create trigger messages_told after update on messages for each row
      when ((old.status, old.edited_at, old.deleted_at) is distinct from (new.status, new.edited_at, new.deleted_at))
      execute function attache_tell_message()`,

    `create function attache_tell_event() returns trigger language plpgsql as $$
    begin
      perform attache_tell(new.tenant, 'event', new.subject,
        jsonb_build_object('event', new.key, 'type', new.type, 'status', new.status));
      return null;
    end $$`,
    `create trigger events_told_new after insert on events for each row when (new.type <> 'message.status')
      execute function attache_tell_event()`,
    `create trigger events_told after update on events for each row
      when (old.status is distinct from new.status and 'dead' in (old.status, new.status) or old.dropped_at is distinct from new.dropped_at)
      execute function attache_tell_event()`,

    `create function attache_tell_conversation() returns trigger language plpgsql as $$
    begin
      perform attache_tell(new.tenant, 'conversation', 'conversation/' || new.id, jsonb_build_object('owner', new.owner));
      return null;
    end $$`,
    `create trigger conversations_told_new after insert on conversations for each row execute function attache_tell_conversation()`,
    `create trigger conversations_told after update on conversations for each row
      when ((old.owner, old.closed_at) is distinct from (new.owner, new.closed_at))
      execute function attache_tell_conversation()`,

    `create function attache_tell_switch() returns trigger language plpgsql as $$
    declare it switches := case when tg_op = 'DELETE' then old else new end;
    begin
      perform attache_tell(it.tenant, 'switch', null,
        jsonb_build_object('scope', it.scope, 'key', it.key, 'off', tg_op <> 'DELETE'));
      return null;
    end $$`,
    `create trigger switches_told after insert or delete on switches for each row execute function attache_tell_switch()`,

    `create function attache_tell_delivery() returns trigger language plpgsql as $$
    begin
      perform attache_tell(new.tenant, 'delivery', new.subject,
        jsonb_build_object('delivery', new.id, 'state', new.state));
      return null;
    end $$`,
    `create trigger webhook_deliveries_told after update on webhook_deliveries for each row
      when (old.state is distinct from new.state) execute function attache_tell_delivery()`,
  ],
};
