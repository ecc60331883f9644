/**
 * Typed facts from outside. The envelope is shaped like a CloudEvent: `id` is unique per tenant and source,
 * `time` is when it happened at the source, `data` the change with the context an agent needs.
 */
import { z } from 'zod';
import type { InputProblem } from '../errors.ts';
import { BUSINESS } from '../ids.ts';
import { EventSubjectSchema, SubjectSchema, TenantIdSchema } from './ids.ts';
import { Country, Instant, JsonValue, TimeZone } from './values.ts';

/** Who a message is from, as far as the channel can tell. `automation` is the CRM's own robot: greeting, survey, campaign. */
export const MessageAuthor = z.enum(['customer', 'agent', 'human', 'automation', 'unknown']);
export type MessageAuthor = z.infer<typeof MessageAuthor>;

/** How a message reached its reader, in the only order it may move: see `domain/deliveries.ts`. */
export const DeliveryStatus = z.enum(['sent', 'delivered', 'read', 'played', 'failed']);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

export const ContactRef = z.strictObject({
  /** The provider's own name for the person (phone digits, BSUID, CRM contact id). Personal data: desk only. */
  address: z.string().min(1).max(200),
  /** Other names of the same person at the same provider (a phone's other spelling, a BSUID): one contact is found by any of them. */
  aliases: z.array(z.string().min(1).max(200)).max(10).optional(),
  name: z.string().max(200).optional(),
  timeZone: TimeZone.optional(),
  locale: z.string().max(20).optional(),
  /** ISO 3166, such as BR: whose holidays they keep. */
  country: Country.optional(),
});
export type ContactRef = z.infer<typeof ContactRef>;

/** What a person has decided about marketing messages of ours. */
export const MarketingChoice = z.enum(['stopped', 'resumed']);
export type MarketingChoice = z.infer<typeof MarketingChoice>;

const name = z.string().max(1_024);
const longText = z.string().max(65_536);

/** By reference: `mediaId` is fetched from the channel when somebody needs it, since its address expires. */
const file = {
  media: z.enum(['image', 'audio', 'voice', 'video', 'document', 'sticker']),
  mediaId: z.string().min(1).max(512),
  mimeType: z.string().max(200).optional(),
  sha256: z.string().max(200).optional(),
  fileName: name.optional(),
};
/** Beside the first: more than any provider lets one message hold (Chatwoot: 15). */
const MOST_MORE_FILES = 30;

/** What somebody said, in words no vendor owns. {@link import('../contents.ts').textOf} reads the words out of any kind. */
export const MessageContent = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), text: longText }),
  /** A file, and `more` where one message holds several, in their order. */
  z.strictObject({
    kind: z.literal('media'),
    ...file,
    caption: longText.optional(),
    more: z.array(z.strictObject(file)).min(1).max(MOST_MORE_FILES).optional(),
  }),
  /** One of the choices we offered was tapped. `title` is what the person saw. */
  z.strictObject({ kind: z.literal('choice'), of: z.enum(['button', 'list', 'template']), id: name, title: name }),
  /** A form was filled in: `answers` as the form defines them. */
  z.strictObject({ kind: z.literal('form'), name: name.optional(), text: longText.optional(), answers: JsonValue }),
  z.strictObject({
    kind: z.literal('location'),
    latitude: z.number().min(-90).max(90),
    longitude: z.number().min(-180).max(180),
    name: name.optional(),
    address: name.optional(),
  }),
  z.strictObject({
    kind: z.literal('contacts'),
    contacts: z.array(z.strictObject({ name, phones: z.array(name).max(20), emails: z.array(name).max(20) })).max(100),
  }),
  z.strictObject({
    kind: z.literal('order'),
    catalogId: name.optional(),
    text: longText.optional(),
    items: z
      .array(
        z.strictObject({
          productId: name,
          quantity: z.number(),
          price: z.number().optional(),
          currency: z.string().max(10).optional(),
        }),
      )
      .max(500),
  }),
  /** Anything this version gives no meaning to. `of` is the provider's own word for the kind. */
  z.strictObject({ kind: z.literal('unsupported'), of: z.string().max(60), text: longText.optional() }),
]);
export type MessageContent = z.infer<typeof MessageContent>;

export const InboundMessage = z.strictObject({
  providerId: z.string().max(512).optional(),
  contact: ContactRef.optional(),
  content: MessageContent,
  /** Provider id of the message it quotes. */
  replyTo: z.string().max(512).optional(),
  forwarded: z.boolean().optional(),
  /** Of the business's catalogue: what the message asks about. */
  product: z.strictObject({ catalogId: name.optional(), productId: name }).optional(),
  /** The advertisement or link that led the person here. */
  referral: z
    .strictObject({
      sourceType: name.optional(),
      sourceId: name.optional(),
      sourceUrl: z.string().max(4_096).optional(),
      headline: name.optional(),
      body: longText.optional(),
      clickId: name.optional(),
    })
    .optional(),
});
export type InboundMessage = z.infer<typeof InboundMessage>;

export const OutboundMessage = z.strictObject({
  providerId: z.string().max(512).optional(),
  /** Our own reference, where the provider hands it back: tells an echo of ours from a human. */
  reference: z.string().max(512).optional(),
  author: MessageAuthor.default('human'),
  by: z.string().max(200).optional(),
  private: z.boolean().default(false),
  contact: ContactRef.optional(),
  content: MessageContent,
});
export type OutboundMessage = z.infer<typeof OutboundMessage>;

export const MessageStatus = z.strictObject({
  providerId: z.string().max(512),
  reference: z.string().max(512).optional(),
  status: DeliveryStatus,
  error: z
    .strictObject({
      code: z.string().max(60),
      message: z.string().max(1_000),
      /**
       * What it means: `unreachable` that the person cannot be reached at all, `unauthorized` that the whole channel is shut,
       * `marketing_stopped` that the person wants no marketing messages, `outage` and `rate_limited` that it may be sent again.
       */
      failure: z
        .string()
        .regex(/^[a-z_]{1,40}$/)
        .optional(),
    })
    .optional(),
  /** The reader as the provider names them: aliases to learn. Never opens a conversation. */
  contact: ContactRef.optional(),
});
export type MessageStatus = z.infer<typeof MessageStatus>;

/**
 * What a customer does to a message that is already there. Types of their own, so that they neither wake an agent
 * that waits for `message.inbound`, nor overtake a draft, nor count as unanswered: they call for no reply.
 */
export const MessageReaction = z.strictObject({
  /** Provider id of the message. */
  about: z.string().max(512),
  /** Null: the reaction was taken back. */
  emoji: z.string().max(100).nullable(),
  contact: ContactRef.optional(),
});
export type MessageReaction = z.infer<typeof MessageReaction>;
export const MessageEdited = z.strictObject({
  about: z.string().max(512),
  content: MessageContent,
  contact: ContactRef.optional(),
});
export type MessageEdited = z.infer<typeof MessageEdited>;
export const MessageDeleted = z.strictObject({ about: z.string().max(512), contact: ContactRef.optional() });
export type MessageDeleted = z.infer<typeof MessageDeleted>;

const ContactUpdate = z.strictObject({ ...ContactRef.partial().shape, marketing: MarketingChoice.optional() });

const envelope = {
  id: z.string().min(1).max(512),
  source: z.string().min(1).max(200).default('api'),
  time: Instant,
  /** May be named as well; where it was posted says whose it is (`tenantProblem`). */
  tenant: TenantIdSchema.optional(),
  /** What every CloudEvent says of itself. */
  specversion: z.literal('1.0').optional(),
  datacontenttype: z
    .string()
    .regex(/^application\/(?:[\w.-]+\+)?json\b/, { error: 'must be application/json' })
    .optional(),
};
const onConversation = { ...envelope, subject: SubjectSchema };
/** News for one subject, or for every run that follows a topic. */
const onAnything = { ...envelope, subject: EventSubjectSchema };

const KnownEvent = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ ...onConversation, type: z.literal('message.inbound'), data: InboundMessage }),
    z.strictObject({ ...onConversation, type: z.literal('message.outbound'), data: OutboundMessage }),
    z.strictObject({
      ...envelope,
      subject: SubjectSchema.optional(),
      type: z.literal('message.status'),
      data: MessageStatus,
    }),
    z.strictObject({ ...onConversation, type: z.literal('message.reaction'), data: MessageReaction }),
    z.strictObject({ ...onConversation, type: z.literal('message.edited'), data: MessageEdited }),
    z.strictObject({ ...onConversation, type: z.literal('message.deleted'), data: MessageDeleted }),
    z.strictObject({
      ...onConversation,
      type: z.literal('conversation.opened'),
      data: z.strictObject({ contact: ContactRef.optional() }),
    }),
    z.strictObject({
      ...onConversation,
      type: z.literal('conversation.closed'),
      data: z.strictObject({ by: z.string().max(200).optional() }),
    }),
    z.strictObject({
      ...onConversation,
      type: z.literal('conversation.assigned'),
      data: z.strictObject({ to: z.enum(['human', 'agent', 'none']), by: z.string().max(200).optional() }),
    }),
    z.strictObject({ ...onConversation, type: z.literal('contact.updated'), data: ContactUpdate }),
    z.strictObject({
      ...onAnything,
      type: z.literal('record.changed'),
      data: z.strictObject({ record: z.string().max(60), recordId: z.string().max(200), change: JsonValue }),
    }),
    z.strictObject({
      ...onConversation,
      type: z.literal('takeover'),
      data: z.strictObject({ by: z.string().max(200).optional(), reason: z.string().max(1_000).optional() }),
    }),
  ],
  { error: (issue) => (typeof issue.input === 'object' ? `must be one of ${EVENT_TYPES.join(', ')}` : undefined) },
);
const CustomEvent = z.strictObject({
  ...onAnything,
  type: z.templateLiteral(['custom.', z.string().regex(/^[a-z0-9][a-z0-9._-]{0,79}$/)], {
    error: 'must be custom. and a name of lower-case letters, digits and . _ -, such as custom.visit-ended',
  }),
  data: JsonValue,
});
export const EventInput = z.union([KnownEvent, CustomEvent]);
/** An event as a CRM posts it: the tenant is the route's. */
export type EventInput = z.infer<typeof EventInput>;
export type EventType = EventInput['type'];
/** What a schema of one field cannot see of an event posted for this tenant. `now`: when it came, ms since 1970. */
export function misfitOf(
  { tenant: named, type, subject, time }: EventInput,
  { tenant, now }: { readonly tenant: string; readonly now: number },
): InputProblem | undefined {
  if (named !== undefined && named !== tenant)
    return { path: 'tenant', message: `must be ${tenant}, for which it was posted, or left out` };
  // Before computers talked, or after tomorrow: a wrong unit or zone, which would upset every "since".
  if (Date.parse(time) < Date.UTC(1990) || Date.parse(time) > now + 86_400_000)
    return { path: 'time', message: 'must lie between 1990 and tomorrow' };
  if (subject === BUSINESS && /^(?:message|conversation|contact)\./.test(type))
    return { path: 'subject', message: `must be a conversation for ${type}` };
  return undefined;
}
/** As they are named in guides and refusals; `custom.*` stands for any name of one's own. */
export const EVENT_TYPES: readonly string[] = [...KnownEvent.options.map(({ shape }) => shape.type.value), 'custom.*'];

/** An event of a channel that knows people, not conversations: the desk finds or opens the conversation. */
export type ChannelEvent = DistributiveOmit<EventInput, 'subject'> & {
  readonly subject?: undefined;
  readonly address: ContactRef;
};
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** Events in one post, to the API or by a CRM's webhook. */
export const MAX_EVENTS_AT_ONCE = 500;

/** The one member a value claims to be, so that its problems are named and not those of ten others. */
export function eventSchemaOf(value: unknown): z.ZodType<EventInput> {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  return typeof type === 'string' && type.startsWith('custom.') ? CustomEvent : KnownEvent;
}

/** An event as the desk stores it and a tick reads it. */
export type StoredEvent = EventInput & {
  readonly tenant: z.infer<typeof TenantIdSchema>;
  /** The desk's own id: what signals carry, unique everywhere. */
  readonly key: string;
  /** Order of storing, per desk. */
  readonly seq: number;
  readonly storedAt: string;
};
