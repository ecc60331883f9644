import type { Migration } from '../migrate.ts';

/** How a conversation stood when its channel was last asked, so that the next poll can tell what has changed. */
export const pollNotesTable: Migration = {
  name: '0016-poll-notes',
  statements: [
    `create table poll_notes (
      tenant text not null,
      channel text not null,
      subject text not null,
      note text not null,
      primary key (tenant, channel, subject)
    )`,
  ],
};
