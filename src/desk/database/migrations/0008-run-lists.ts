import type { Migration } from '../migrate.ts';

/** What the console lists runs by. */
export const runLists: Migration = {
  name: '0008-run-lists',
  statements: [
    `alter table runs add column cost_usd double precision`,
    `create index runs_failing on runs (tenant, next_run_at, attachment) where status = 'IN_PROGRESS' and failures > 0`,
    `create index runs_ended on runs (tenant, ended_at, attachment) where ended_at is not null`,
    `create index contacts_tenant on contacts (tenant)`,
  ],
};
