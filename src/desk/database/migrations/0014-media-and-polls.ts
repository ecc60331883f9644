import type { Migration } from '../migrate.ts';

/** How the file of a message is got from its provider (messages from before this have none); how far channels were asked. */
export const mediaAndPolls: Migration = {
  name: '0014-media-and-polls',
  statements: [
    `alter table messages add column media jsonb`,
    `create table polls (
      tenant text not null,
      channel text not null,
      until timestamp(3) with time zone not null,
      primary key (tenant, channel)
    )`,
  ],
};
