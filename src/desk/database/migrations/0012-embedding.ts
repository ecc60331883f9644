import type { Migration } from '../migrate.ts';

/** What tokens of embedded panels are signed with. */
export const embedding: Migration = {
  name: '0012-embedding',
  statements: [`create table server_secrets (name text primary key, secret text not null)`],
};
