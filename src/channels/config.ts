/** What stands in `channels` of a tenant: one member per kind. Adding a channel: its folder, this line, one line in the registry. */
import { z } from 'zod';
import { ChatwootConfig } from './chatwoot/config.ts';
import { GenericConfig } from './generic/config.ts';
import { SimulatedConfig } from './simulated/config.ts';
import { WhatsAppConfig } from './whatsapp/config.ts';

export const ChannelConfig = z.discriminatedUnion('kind', [
  WhatsAppConfig,
  ChatwootConfig,
  SimulatedConfig,
  GenericConfig,
]);
export type ChannelConfig = z.infer<typeof ChannelConfig>;

/** The tenant's channels of one kind. */
export function channelsOf<Kind extends ChannelConfig['kind']>(
  channels: readonly ChannelConfig[],
  kind: Kind,
): readonly Extract<ChannelConfig, { kind: Kind }>[] {
  return channels.filter((channel): channel is Extract<ChannelConfig, { kind: Kind }> => channel.kind === kind);
}
