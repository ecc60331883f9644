import type { Migration } from '../migrate.ts';

/** What reports are read by. Ticks come in order of time, so a block index is enough and costs a tick next to nothing. */
export const reports: Migration = {
  name: '0013-reports',
  statements: [
    `create index ticks_started on ticks using brin (started_at)`,
    `create index ledger_held on ledger (tenant, due_at) where state = 'claimed' and due_at is not null`,
    `create index conversations_newest on conversations (tenant, opened_at, id)`,
  ],
};
