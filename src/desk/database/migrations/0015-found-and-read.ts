import type { Migration } from '../migrate.ts';

/** What a search looks in, lower-cased once instead of at every search; when a message reached its reader; acts by their run. */
export const foundAndRead: Migration = {
  name: '0015-found-and-read',
  statements: [
    `alter table contacts add column search text not null generated always as (lower(coalesce(name, '') || chr(10) || address)) stored`,
    `alter table runs add column search text not null generated always as (lower(subject)) stored`,
    `alter table messages add column delivered_at timestamp(3) with time zone, add column read_at timestamp(3) with time zone`,
    `create index acts_attachment on acts (attachment, id)`,
  ],
};
