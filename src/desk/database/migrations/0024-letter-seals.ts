import type { Migration } from '../migrate.ts';

/** What vouches for a dead letter that could not be read. Letters of before have none, and cannot be read again. */
export const letterSeals: Migration = {
  name: '0024-letter-seals',
  statements: ['alter table events add column seal text'],
};
