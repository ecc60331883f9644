/** Chatwoot's webhook bodies and REST answers, as little of them as we read; unknown fields pass. */
import { z } from 'zod';

const text = z.string().nullish();

/** The key under `content_attributes` that carries our reference: how our own messages are known. */
export const REFERENCE = 'attache_reference';

/** Chatwoot writes instants as ISO text, "2020-03-03 13:05:57 UTC" or unix seconds, by version and place. */
const Moment = z.union([z.number(), z.string()]).transform((value, context) => {
  const ms = typeof value === 'number' ? value * 1_000 : Date.parse(value.replace(/^(\S+) (\S+) UTC$/, '$1T$2Z'));
  const year = new Date(ms).getUTCFullYear();
  if (year >= 1970 && year <= 9999) return new Date(ms).toISOString();
  context.addIssue({ code: 'custom', message: 'must be an instant' });
  return z.NEVER;
});

const Person = z.object({ id: z.number(), name: text, type: text, phone_number: text, email: text });
export type Person = z.infer<typeof Person>;

const Attributes = z.record(z.string(), z.unknown()).nullish();

export const Attachment = z.object({
  id: z.number(),
  file_type: z.string(),
  data_url: text,
  coordinates_lat: z.number().nullish(),
  coordinates_long: z.number().nullish(),
  fallback_title: text,
});

export type Attachment = z.infer<typeof Attachment>;

export const Event = z.object({ event: z.string(), account: z.object({ id: z.number() }).nullish() });

export const ConversationPart = z.object({
  id: z.int().positive(),
  status: z.string(),
  meta: z
    .object({ sender: Person.nullish().catch(null), assignee: Person.nullish().catch(null), assignee_type: text })
    .nullish(),
});

export const MessageEvent = z.object({
  id: z.int().positive(),
  content: text,
  created_at: Moment,
  message_type: z.string(),
  private: z.boolean().nullish(),
  content_attributes: Attributes,
  additional_attributes: Attributes,
  source_id: text,
  status: text,
  sender: Person.nullish().catch(null),
  attachments: z.array(z.unknown()).nullish(),
  conversation: ConversationPart,
});
export type MessageEvent = z.infer<typeof MessageEvent>;

/** `changed_attributes` is a list of one-key objects. */
const Changes = z
  .array(z.record(z.string(), z.object({ previous_value: z.unknown(), current_value: z.unknown() })))
  .transform((list) => new Map(list.flatMap((entry) => Object.entries(entry))));

export const ConversationEvent = ConversationPart.extend({
  created_at: Moment,
  updated_at: Moment.optional(),
  timestamp: Moment.optional(),
  changed_attributes: Changes.nullish().catch(null),
});
export type ConversationEvent = z.infer<typeof ConversationEvent>;

/** Of REST: here `message_type` is a number, 1 for outgoing. */
export const SentMessage = z.object({
  id: z.int(),
  content: text,
  message_type: z.unknown(),
  created_at: Moment.optional(),
  content_attributes: Attributes,
  attachments: z.array(z.unknown()).nullish(),
});
export const MessageList = z.object({ payload: z.array(SentMessage) });
export const LiveConversation = ConversationPart.extend({ can_reply: z.boolean().nullish() });
export const TeamList = z.array(z.object({ id: z.number(), name: z.string() }));

/** A message as a conversation shows it: in full, unlike the list of messages. */
const ShownMessage = z.object({ id: z.int(), additional_attributes: Attributes }).nullish().catch(null);

/** Of the list of conversations, newest activity first. */
export const ConversationList = z.object({
  data: z.object({
    payload: z.array(
      z.looseObject({
        ...ConversationPart.shape,
        created_at: Moment,
        messages: z.array(ShownMessage).nullish().catch(null),
        last_non_activity_message: ShownMessage,
        updated_at: Moment.optional(),
        last_activity_at: Moment.optional(),
      }),
    ),
  }),
});
/** Of the list of messages, as they are: a poll hands them to the reader of webhooks. */
export const RawMessages = z.object({
  payload: z.array(z.looseObject({ id: z.int(), message_type: z.unknown(), created_at: Moment })),
});
