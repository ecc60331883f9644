import type { Migration } from '../migrate.ts';

/** Why a wake-up that is due cannot begin, as a worker said last. */
export const heldUp: Migration = {
  name: '0019-held-up',
  statements: [
    `alter table runs add column held_up text`,
    `create trigger runs_told_held_up after update on runs for each row
      when (old.held_up is distinct from new.held_up) execute function attache_tell_run()`,
  ],
};
