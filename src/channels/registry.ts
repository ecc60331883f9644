/** Every tenant's channels, built once from the configuration. */
import type { Channel } from './channel.ts';
import { createChatwootChannel } from './chatwoot/chatwoot-channel.ts';
import type { ChannelConfig } from './config.ts';
import { GENERIC_KEY, serverOf } from './generic/config.ts';
import { createGenericChannel } from './generic/generic-channel.ts';
import { createSimulatedChannel } from './simulated/simulated-channel.ts';
import { createWhatsAppChannel } from './whatsapp/whatsapp-channel.ts';

export interface Channels {
  /** Undefined: this tenant has no such channel (any more). */
  get(tenant: string, key: string): Channel | undefined;
  list(tenant: string): readonly Channel[];
  /** Those that only tell: nothing can be sent there. */
  telling(tenant: string): readonly TellingChannel[];
}
export type TellingChannel = Pick<Channel, 'key' | 'kind'> & { readonly sends: false };

export type TenantChannels = Readonly<Record<string, { readonly channels: readonly ChannelConfig[] }>>;

/** @throws {Error} when a tenant names one channel twice. */
export function createChannels(tenants: TenantChannels): Channels {
  const byTenant = new Map(
    Object.entries(tenants).map(([tenant, { channels }]) => [tenant, byKey(tenant, channels.flatMap(channelOf))]),
  );
  return {
    get: (tenant, key) => byTenant.get(tenant)?.get(key),
    list: (tenant) => [...(byTenant.get(tenant)?.values() ?? [])],
    telling: (tenant) =>
      (tenants[tenant]?.channels ?? []).some((config) => config.kind === 'generic' && serverOf(config) === undefined)
        ? [{ key: GENERIC_KEY, kind: 'generic', sends: false }]
        : [],
  };
}

/** None for a kind that only listens. */
function channelOf(config: ChannelConfig): readonly Channel[] {
  switch (config.kind) {
    case 'whatsapp':
      return [createWhatsAppChannel(config)];
    case 'simulated':
      return [createSimulatedChannel()];
    case 'chatwoot':
      return [createChatwootChannel(config)];
    case 'generic': {
      const server = serverOf(config);
      return server === undefined ? [] : [createGenericChannel(server)];
    }
  }
}

function byKey(tenant: string, channels: readonly Channel[]): ReadonlyMap<string, Channel> {
  const found = new Map<string, Channel>();
  for (const channel of channels) {
    if (found.has(channel.key)) throw new Error(`tenants.${tenant}.channels names ${channel.key} twice: remove one`);
    found.set(channel.key, channel);
  }
  return found;
}
