import type { Migration } from '../migrate.ts';

/** Channels whose provider refuses our credentials or our account. */
export const shutChannelsTable: Migration = {
  name: '0021-shut-channels',
  statements: [
    `create table shut_channels (
      tenant text not null,
      channel text not null,
      code text not null,
      refusals integer not null,
      since timestamp(3) with time zone not null,
      until timestamp(3) with time zone not null,
      primary key (tenant, channel)
    )`,
  ],
};
