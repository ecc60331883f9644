import type { Migration } from '../migrate.ts';

/** Where this desk's runs live. */
export const homeTable: Migration = {
  name: '0020-home',
  statements: [
    `create table home (is_here boolean primary key default true check (is_here), namespace_id text not null)`,
  ],
};
