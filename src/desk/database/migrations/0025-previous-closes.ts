import type { Migration } from '../migrate.ts';

/** When a conversation that is open again was closed before: what was said until then is done with. */
export const previousCloses: Migration = {
  name: '0025-previous-closes',
  statements: ['alter table conversations add column previously_closed_at timestamp(3) with time zone'],
};
