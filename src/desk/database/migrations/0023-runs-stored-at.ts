import type { Migration } from '../migrate.ts';

/** When a run's row was written, by the database's clock, as events are timed. Rows of before have none, and are not rewritten. */
export const runsStoredAt: Migration = {
  name: '0023-runs-stored-at',
  statements: [
    'alter table runs add column stored_at timestamp(3) with time zone',
    'alter table runs alter column stored_at set default clock_timestamp()',
  ],
};
