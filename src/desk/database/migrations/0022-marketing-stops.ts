import type { Migration } from '../migrate.ts';

/** Who wants no marketing messages, and since when. */
export const marketingStops: Migration = {
  name: '0022-marketing-stops',
  statements: [
    `alter table contacts
      add column marketing_stopped_at timestamp(3) with time zone,
      add column marketing_told_at timestamp(3) with time zone`,
  ],
};
