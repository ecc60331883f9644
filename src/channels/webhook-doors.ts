/** The three kinds of webhooks: whose secrets open each, which of them signed a body, and what that body then says. */
import { InvalidInputError } from '../domain/errors.ts';
import { BUSINESS, conversationOf, type TenantId } from '../domain/ids.ts';
import type { EventInput } from '../domain/schemas/events.ts';
import { parseChatwootWebhook } from './chatwoot/parse-webhook.ts';
import { signedBy as signedByChatwoot } from './chatwoot/verify.ts';
import { type ChannelConfig, channelsOf } from './config.ts';
import { GENERIC_KEY, serverOf } from './generic/config.ts';
import { parseEvents, type ParsedEvent, type Posted } from './generic/parse-events.ts';
import { signedBy as signedByCrm } from './generic/verify.ts';
import type { InboundItem, ParsedBody } from './inbound.ts';
import { withCustomer } from './nameless-customer.ts';
import { storableBody } from './raw-json.ts';
import type { WebhookKind } from './seal.ts';
import { parseWhatsAppWebhook } from './whatsapp/parse-webhook.ts';
import { signedBy as signedByMeta } from './whatsapp/verify.ts';

type Channels = readonly ChannelConfig[];

export interface Door {
  /** What the configuration calls the secrets. */
  readonly secretField: string;
  /** Empty: the tenant has no such channel. */
  secrets(channels: Channels): readonly string[];
  /** The one of these secrets that signed the body; each is tried. */
  signedBy(post: {
    readonly body: Uint8Array;
    readonly headers: Headers;
    readonly secrets: readonly string[];
  }): string | undefined;
  /** What the body says to whoever holds that secret. `now`: when it came, ms since 1970. */
  parse(
    post: { readonly tenant: TenantId; readonly body: Uint8Array; readonly secret: string; readonly now: number },
    channels: Channels,
  ): ParsedBody;
}

export const DOORS: Readonly<Record<WebhookKind, Door>> = {
  whatsapp: {
    secretField: 'appSecret',
    secrets: (channels) => channelsOf(channels, 'whatsapp').map(({ appSecret }) => appSecret),
    signedBy: ({ body, headers, secrets }) =>
      signedByMeta({ body, signature: headers.get('x-hub-signature-256') ?? undefined, appSecrets: secrets }),
    parse({ tenant, body, secret }, channels) {
      const numbers = channelsOf(channels, 'whatsapp');
      const named = (isOwn: boolean) =>
        numbers.filter(({ appSecret }) => (appSecret === secret) === isOwn).map(({ phoneNumberId }) => phoneNumberId);
      return parseWhatsAppWebhook({ tenant, body, phoneNumberIds: named(true), othersNumberIds: named(false) });
    },
  },
  chatwoot: {
    secretField: 'webhookSecret',
    secrets: (channels) => channelsOf(channels, 'chatwoot').flatMap(secretsOf),
    signedBy: ({ body, headers, secrets }) =>
      signedByChatwoot({
        body,
        signature: headers.get('x-chatwoot-signature') ?? undefined,
        timestamp: headers.get('x-chatwoot-timestamp') ?? undefined,
        secrets,
      }),
    parse({ secret, ...post }, channels) {
      const account = channelsOf(channels, 'chatwoot').find((one) => secretsOf(one).includes(secret));
      return account === undefined ? NOTHING : parseChatwootWebhook({ ...post, account });
    },
  },
  generic: {
    secretField: 'webhookSecret',
    secrets: (channels) => channelsOf(channels, 'generic').map(({ webhookSecret }) => webhookSecret),
    signedBy({ body, headers, secrets }) {
      const signed = {
        id: headers.get('webhook-id') ?? undefined,
        timestamp: headers.get('webhook-timestamp') ?? undefined,
        signature: headers.get('webhook-signature') ?? undefined,
      };
      return signedByCrm({ body, headers: signed, secrets });
    },
    parse({ tenant, body, now }, channels) {
      const isChannel = channelsOf(channels, 'generic').some((sender) => serverOf(sender) !== undefined);
      return genericEvents({ tenant, body, now }, isChannel ? GENERIC_KEY : null);
    },
  },
};

const NOTHING: ParsedBody = { items: [], unreadable: [], ignored: [] };
const GENERIC_SOURCE = 'generic';

function secretsOf({ webhookSecret, botWebhookSecret }: Extract<ChannelConfig, { kind: 'chatwoot' }>): string[] {
  return [webhookSecret, ...(botWebhookSecret === undefined ? [] : [botWebhookSecret])];
}

/** As with every webhook, what cannot be read is kept for an operator and not thrown back at a sender who would send it again. */
function genericEvents(post: Posted, channel: string | null): ParsedBody {
  const { tenant, body } = post;
  const letter = (text: string, { message }: InvalidInputError) => ({
    ...{ tenant, source: GENERIC_SOURCE, body: text },
    problem: message,
  });
  let parsed: readonly ParsedEvent[];
  try {
    parsed = parseEvents(post);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return { ...NOTHING, unreadable: [letter(storableBody(body), error)] };
  }
  return {
    items: parsed.flatMap((item) => (item.ok ? [placed(tenant, item.event, channel)] : [])),
    unreadable: parsed.flatMap((item) =>
      item.ok ? [] : [letter(JSON.stringify(item.body), new InvalidInputError(item.problems))],
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
