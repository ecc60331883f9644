import type { Migration } from '../migrate.ts';

/** What the reconciler asks every two seconds becomes a small index; messages remember edits and deletions. */
export const smallReads: Migration = {
  name: '0002-small-reads',
  statements: [
    `alter table messages add column edited_at timestamp(3) with time zone, add column deleted_at timestamp(3) with time zone`,
    `alter table acts add column pending boolean not null default false`,
    `update acts set pending = true where act in ('takeover', 'detach')`,
    `create index acts_pending on acts (id) where pending`,
  ],
};
