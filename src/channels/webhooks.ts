/** Every tenant's webhooks behind one door: checked over the raw bytes, then parsed. What the routes need to know of vendors is nothing. */
import type { TenantId } from '../domain/ids.ts';
import { channelsOf } from './config.ts';
import type { ParsedBody, ParsedWebhook } from './inbound.ts';
import type { TenantChannels } from './registry.ts';
import { sealOf, type WebhookKind } from './seal.ts';
import { DOORS } from './webhook-doors.ts';
import { handshakeChallenge, isHandshake } from './whatsapp/verify.ts';

export interface WebhookRefusal {
  readonly refused: 'not_configured' | 'bad_signature' | 'not_a_handshake' | 'wrong_token';
}

interface Receiver {
  receive(tenant: TenantId, body: Uint8Array, headers: Headers): ParsedWebhook | WebhookRefusal;
}

/** A body that was signed and could not be read when it came. */
export interface KeptBody {
  readonly tenant: TenantId;
  readonly body: string;
  /** {@link sealOf} the secret that signed it; null: nobody noted it. */
  readonly seal: string | null;
  /** When it came, ms since 1970. */
  readonly cameAt: number;
}

export interface Webhooks {
  readonly whatsapp: Receiver & {
    /** The challenge to answer as plain text with 200, or why not. */
    handshake(
      tenant: TenantId,
      query: Readonly<Record<string, string | undefined>>,
    ): { readonly challenge: string } | WebhookRefusal;
  };
  readonly chatwoot: Receiver;
  readonly generic: Receiver;
  /**
   * What was kept says under today's configuration, as if it came now: it is believed about the channels that have the secret
   * which signed it, and no others. `doubted`: none has, and what to do about that.
   */
  readAgain(kept: KeptBody): ParsedWebhook | { readonly doubted: string };
}

export function createWebhooks(tenants: TenantChannels): Webhooks {
  const configured = (tenant: TenantId) => (Object.hasOwn(tenants, tenant) ? (tenants[tenant]?.channels ?? []) : []);
  const receiver = (kind: WebhookKind): Receiver => ({
    receive(tenant, body, headers) {
      const channels = configured(tenant);
      const secrets = DOORS[kind].secrets(channels);
      if (secrets.length === 0) return { refused: 'not_configured' };
      const secret = DOORS[kind].signedBy({ body, headers, secrets });
      if (secret === undefined) return { refused: 'bad_signature' };
      return sealed(DOORS[kind].parse({ tenant, body, secret, now: Date.now() }, channels), sealOf(kind, secret));
    },
  });
  return {
    whatsapp: {
      ...receiver('whatsapp'),
      handshake(tenant, query) {
        const numbers = channelsOf(configured(tenant), 'whatsapp');
        if (numbers.length === 0) return { refused: 'not_configured' };
        if (!isHandshake(query)) return { refused: 'not_a_handshake' };
        const challenge = handshakeChallenge(
          query,
          numbers.map((number) => number.verifyToken),
        );
        return challenge === undefined ? { refused: 'wrong_token' } : { challenge };
      },
    },
    chatwoot: receiver('chatwoot'),
    generic: receiver('generic'),
    readAgain({ tenant, body, seal, cameAt }) {
      const kind = seal === null ? undefined : kindOf(seal);
      if (seal === null || kind === undefined)
        return { doubted: 'nothing notes which secret signed it, so it cannot be believed: drop it' };
      const channels = configured(tenant);
      const secret = DOORS[kind].secrets(channels).find((one) => sealOf(kind, one) === seal);
      if (secret === undefined)
        return {
          doubted: `no channel of kind "${kind}" in tenants.${tenant}.channels of attache.config.json has the ${DOORS[kind].secretField} that signed it: add the channel with that secret, or drop this`,
        };
      return sealed(DOORS[kind].parse({ tenant, body: Buffer.from(body), secret, now: cameAt }, channels), seal);
    },
  };
}

function sealed({ unreadable, ...read }: ParsedBody, seal: string): ParsedWebhook {
  return { ...read, unreadable: unreadable.map((letter) => ({ ...letter, seal })) };
}

function kindOf(seal: string): WebhookKind | undefined {
  return (Object.keys(DOORS) as WebhookKind[]).find((kind) => seal.startsWith(`${kind}:`));
}
