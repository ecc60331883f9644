import type { Migration } from '../migrate.ts';

/** What a run was asked to follow, for the one that comes after a hand-back; and which echoes have come. */
export const topicsAndEchoes: Migration = {
  name: '0017-topics-and-echoes',
  statements: [
    `alter table runs add column topics jsonb not null default '[]'`,
    `alter table ledger add column echoed_at timestamp(3) with time zone`,
  ],
};
