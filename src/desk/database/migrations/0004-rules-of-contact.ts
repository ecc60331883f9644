import type { Migration } from '../migrate.ts';

/** Why and until when a send waits; which conversations a human holds; whose holidays a person keeps; what a month's delivered messages are counted by. */
export const rulesOfContact: Migration = {
  name: '0004-rules-of-contact',
  statements: [
    `alter table ledger add column due_at timestamp(3) with time zone`,
    `alter table contacts add column country text`,
    `create index conversations_held on conversations (tenant, owner_since) where owner = 'human' and closed_at is null`,
    `create index messages_delivered on messages (tenant, at) where direction = 'out' and status in ('delivered', 'read', 'played')`,
  ],
};
