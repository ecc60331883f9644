/** Every tenant's webhooks behind one door: checked over the raw bytes, then parsed. What the routes need to know of vendors is nothing. */
import { InvalidInputError } from '../domain/errors.ts';
import { BUSINESS, conversationOf, type TenantId } from '../domain/ids.ts';
import type { EventInput } from '../domain/schemas/events.ts';
import { parseChatwootWebhook } from './chatwoot/parse-webhook.ts';
import { isSigned } from './chatwoot/verify.ts';
import { channelsOf } from './config.ts';
import { GENERIC_KEY, serverOf } from './generic/config.ts';
import { parseEvents, type ParsedEvent } from './generic/parse-events.ts';
import { objection } from './generic/verify.ts';
import type { InboundItem, ParsedWebhook } from './inbound.ts';
import { withCustomer } from './nameless-customer.ts';
import { storableBody } from './raw-json.ts';
import type { TenantChannels } from './registry.ts';
import { parseWhatsAppWebhook } from './whatsapp/parse-webhook.ts';
import { handshakeChallenge, isHandshake, signedBy } from './whatsapp/verify.ts';

export interface WebhookRefusal {
  readonly refused: 'not_configured' | 'bad_signature' | 'not_a_handshake' | 'wrong_token';
}

export interface Webhooks {
  readonly whatsapp: {
    /** The challenge to answer as plain text with 200, or why not. */
    handshake(
      tenant: TenantId,
      query: Readonly<Record<string, string | undefined>>,
    ): { readonly challenge: string } | WebhookRefusal;
    receive(tenant: TenantId, body: Uint8Array, headers: Headers): ParsedWebhook | WebhookRefusal;
  };
  readonly chatwoot: {
    receive(tenant: TenantId, body: Uint8Array, headers: Headers): ParsedWebhook | WebhookRefusal;
  };
  readonly generic: {
    receive(tenant: TenantId, body: Uint8Array, headers: Headers): ParsedWebhook | WebhookRefusal;
  };
}

const GENERIC_SOURCE = 'generic';

export function createWebhooks(tenants: TenantChannels): Webhooks {
  const configured = (tenant: TenantId) => (Object.hasOwn(tenants, tenant) ? (tenants[tenant]?.channels ?? []) : []);
  return {
    whatsapp: {
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
      receive(tenant, body, headers) {
        const numbers = channelsOf(configured(tenant), 'whatsapp');
        if (numbers.length === 0) return { refused: 'not_configured' };
        const signature = headers.get('x-hub-signature-256') ?? undefined;
        const secret = signedBy({ body, signature, appSecrets: numbers.map((number) => number.appSecret) });
        if (secret === undefined) return { refused: 'bad_signature' };
        const own = numbers.filter((number) => number.appSecret === secret).map((number) => number.phoneNumberId);
        return parseWhatsAppWebhook({ tenant, body, phoneNumberIds: own });
      },
    },
    chatwoot: {
      receive(tenant, body, headers) {
        const accounts = channelsOf(configured(tenant), 'chatwoot');
        if (accounts.length === 0) return { refused: 'not_configured' };
        const signature = headers.get('x-chatwoot-signature') ?? undefined;
        const timestamp = headers.get('x-chatwoot-timestamp') ?? undefined;
        const account = accounts.find(({ webhookSecret, botWebhookSecret }) => {
          const secrets = [webhookSecret, ...(botWebhookSecret === undefined ? [] : [botWebhookSecret])];
          return isSigned({ body, signature, timestamp, secrets });
        });
        if (account === undefined) return { refused: 'bad_signature' };
        return parseChatwootWebhook({ tenant, body, account, now: Date.now() });
      },
    },
    generic: {
      receive(tenant, body, headers) {
        const senders = channelsOf(configured(tenant), 'generic');
        if (senders.length === 0) return { refused: 'not_configured' };
        const secrets = senders.map((sender) => sender.webhookSecret);
        const signed = {
          id: headers.get('webhook-id') ?? undefined,
          timestamp: headers.get('webhook-timestamp') ?? undefined,
          signature: headers.get('webhook-signature') ?? undefined,
        };
        if (objection({ body, headers: signed, secrets }) !== undefined) return { refused: 'bad_signature' };
        const isChannel = senders.some((sender) => serverOf(sender) !== undefined);
        return genericEvents(tenant, body, isChannel ? GENERIC_KEY : null);
      },
    },
  };
}

/** As with every webhook, what cannot be read is kept for an operator and not thrown back at a sender who would send it again. */
function genericEvents(tenant: TenantId, body: Uint8Array, channel: string | null): ParsedWebhook {
  let parsed: readonly ParsedEvent[];
  try {
    parsed = parseEvents(body);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return {
      items: [],
      unreadable: [{ tenant, source: GENERIC_SOURCE, body: storableBody(body), problem: error.message }],
      ignored: [],
    };
  }
  return {
    items: parsed.flatMap((item) => (item.ok ? [placed(tenant, item.event, channel)] : [])),
    unreadable: parsed.flatMap((item) =>
      item.ok
        ? []
        : [
            {
              tenant,
              source: GENERIC_SOURCE,
              body: JSON.stringify(item.body),
              problem: new InvalidInputError(item.problems).message,
            },
          ],
    ),
    ignored: [],
  };
}

/** What is told of a conversation makes it one of the sender's own channel, where it is one. */
function placed(tenant: TenantId, event: EventInput, channel: string | null): InboundItem {
  return channel === null || conversationOf(event.subject ?? BUSINESS) === undefined
    ? { tenant, channel: null, event }
    : { tenant, channel, event: withCustomer(event) };
}
