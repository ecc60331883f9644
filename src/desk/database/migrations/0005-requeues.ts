import type { Migration } from '../migrate.ts';

/** How often an event was given back: a delivery that had begun before does not count as the delivery of what came after. */
export const requeues: Migration = {
  name: '0005-requeues',
  statements: [`alter table events add column requeues integer not null default 0`],
};
