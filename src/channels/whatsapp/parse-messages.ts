/** One update of Meta's → one of our events. Each function answers undefined for "not readable"; why is in the schema's own words. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type {
  ChannelEvent,
  ContactRef,
  EventInput,
  InboundMessage,
  MarketingChoice,
  MessageStatus,
} from '../../domain/schemas/events.ts';
import { contentOf } from './contents.ts';
import { meaningOf } from './failures.ts';
import { contactOf } from './identity.ts';
import { Context, Echo, Message, MetaError, Profile, Referral, Status, UserPreference } from './webhook-schema.ts';

/** Thrown inside the parser only, caught per update: the update is unreadable for this reason. */
export class UnreadableUpdate extends Error {
  override readonly name = 'UnreadableUpdate';
}

export interface Sender {
  /** Source of the events: the number's key. */
  readonly source: string;
  /** The people this change names. */
  readonly profiles: readonly Profile[];
}

/** @throws {UnreadableUpdate} */
export function messageEvent(item: unknown, { source, profiles }: Sender): ChannelEvent {
  const message = read(Message, item);
  if (message.group_id !== undefined) throw new UnreadableUpdate('a message in a group: groups are not served');
  const contact = senderOf(message, profiles);
  const envelope = { id: message.id, source, time: message.timestamp, address: contact };
  switch (message.type) {
    case 'reaction': {
      const { message_id, emoji } = read(
        z.object({ message_id: z.string(), emoji: z.string().optional() }),
        message['reaction'],
      );
      return {
        ...envelope,
        type: 'message.reaction',
        data: { about: message_id, emoji: emoji === undefined || emoji === '' ? null : emoji.slice(0, 100), contact },
      };
    }
    case 'edit': {
      const edit = read(
        z.object({ original_message_id: z.string(), message: z.looseObject({ type: z.string() }) }),
        message['edit'],
      );
      return {
        ...envelope,
        type: 'message.edited',
        data: { about: edit.original_message_id, content: contentOf(edit.message), contact },
      };
    }
    case 'revoke': {
      const { original_message_id } = read(z.object({ original_message_id: z.string() }), message['revoke']);
      return { ...envelope, type: 'message.deleted', data: { about: original_message_id, contact } };
    }
    case 'system':
      return { ...envelope, ...systemChange(message) };
    default:
      return { ...envelope, type: 'message.inbound', data: inboundMessage(message, contact) };
  }
}

function inboundMessage(message: Message, contact: ContactRef): InboundMessage {
  const context = Context.safeParse(message['context']).data;
  const referral = Referral.safeParse(message['referral']).data;
  return {
    providerId: message.id,
    contact,
    content: contentOf(message),
    ...(context?.id !== undefined && { replyTo: context.id }),
    ...((context?.forwarded === true || context?.frequently_forwarded === true) && { forwarded: true }),
    ...(context?.referred_product !== undefined && { product: productOf(context.referred_product) }),
    ...(referral !== undefined && { referral: referralOf(referral) }),
  };
}

function productOf({
  catalog_id,
  product_retailer_id,
}: NonNullable<z.infer<typeof Context>['referred_product']>): NonNullable<InboundMessage['product']> {
  const catalogId = catalog_id?.slice(0, 1_024);
  return { ...(catalogId !== undefined && { catalogId }), productId: product_retailer_id.slice(0, 1_024) };
}

function referralOf(from: z.infer<typeof Referral>): NonNullable<InboundMessage['referral']> {
  const short = (text: string) => text.slice(0, 1_024);
  return {
    ...(from.source_type !== undefined && { sourceType: short(from.source_type) }),
    ...(from.source_id !== undefined && { sourceId: short(from.source_id) }),
    ...(from.source_url !== undefined && { sourceUrl: from.source_url.slice(0, 4_096) }),
    ...(from.headline !== undefined && { headline: short(from.headline) }),
    ...(from.body !== undefined && { body: from.body }),
    ...(from.ctwa_clid !== undefined && { clickId: short(from.ctwa_clid) }),
  };
}

const System = z.object({
  type: z.string(),
  body: z.string().optional(),
  wa_id: z.string().optional(),
  user_id: z.string().optional(),
  parent_user_id: z.string().optional(),
});

/** The person's names changed: the event is addressed by the old one and tells the new. Not something the customer said. */
function systemChange(
  message: Message,
):
  | Pick<Extract<ChannelEvent, { type: 'contact.updated' }>, 'type' | 'data'>
  | { type: `custom.${string}`; data: { of: string; text: string } } {
  const system = read(System, message['system']);
  const renamed = contactOf({ phone: system.wa_id, userId: system.user_id, parentUserId: system.parent_user_id });
  if (renamed !== undefined && system.type.includes('changed') && !system.type.includes('identity'))
    return { type: 'contact.updated', data: renamed };
  return {
    type: 'custom.contact.notice',
    data: { of: system.type.slice(0, 60), text: (system.body ?? '').slice(0, 1_024) },
  };
}

/**
 * A message that left the business's number by another hand: the phone app, another program, another responder.
 * Edits and deletes made there count as the human being at it.
 * @throws {UnreadableUpdate}
 */
export function echoEvent(item: unknown, source: string, author: 'human' | 'unknown'): ChannelEvent {
  const echo = read(Echo, item);
  const contact = contactOf({ phone: echo.to, userId: echo.to_user_id, parentUserId: echo.to_parent_user_id });
  if (contact === undefined) throw new UnreadableUpdate('the echo names no recipient (to, to_user_id)');
  return {
    id: echo.id,
    source,
    time: echo.timestamp,
    address: contact,
    type: 'message.outbound',
    data: {
      providerId: echo.id,
      author,
      private: false,
      contact,
      content: contentOf(echo),
      ...(echo.biz_opaque_callback_data !== undefined && { reference: echo.biz_opaque_callback_data }),
    },
  };
}

/** @throws {UnreadableUpdate} */
export function statusEvent(item: unknown, source: string): EventInput {
  const status = read(Status, item);
  const contact = contactOf({
    phone: status.recipient_id,
    userId: status.recipient_user_id,
    parentUserId: status.recipient_parent_user_id,
  });
  return {
    id: `${status.id}:${status.status}`.slice(-512),
    source,
    time: status.timestamp,
    type: 'message.status',
    data: {
      providerId: status.id,
      status: status.status,
      ...(status.biz_opaque_callback_data !== undefined && { reference: status.biz_opaque_callback_data }),
      ...(status.errors?.[0] !== undefined && { error: statusError(status.errors[0]) }),
      ...(contact !== undefined && { contact }),
    },
  };
}

function statusError(item: unknown): NonNullable<MessageStatus['error']> {
  const error = errorOf(item);
  const failure = meaningOf(Number(error.code))?.failure;
  // What leaves a send's fate open leaves no doubt here: it did not arrive.
  return { ...error, ...(failure !== undefined && { failure: failure === 'unknown_fate' ? 'outage' : failure }) };
}

/** Code and words of one of Meta's error objects, wherever it stands. */
export function errorOf(item: unknown): { code: string; message: string } {
  const error = MetaError.safeParse(item).data;
  if (error === undefined) return { code: 'unknown', message: 'an error in a shape we do not know' };
  const words = [error.title ?? error.message, error.error_data?.details].filter(
    (part) => part !== undefined && part !== '',
  );
  return { code: String(error.code).slice(0, 60), message: words.join(': ').slice(0, 1_000) || 'no explanation given' };
}

/** Meta's words for what a person may choose of `marketing_messages`. */
const MARKETING: Readonly<Record<string, MarketingChoice>> = { stop: 'stopped', resume: 'resumed' };

/** The person stopped or resumed marketing messages in WhatsApp's own settings, or chose what we do not know. @throws {UnreadableUpdate} */
export function preferenceEvent(item: unknown, { source, profiles }: Sender): ChannelEvent {
  const { category, value, timestamp: time, ...person } = read(UserPreference, item);
  const address = senderOf({ from: person.wa_id, from_user_id: person.user_id }, profiles);
  const envelope = { id: derivedId('preference', address.address, category, value, time), source, time, address };
  const marketing = category === 'marketing_messages' ? MARKETING[value] : undefined;
  return marketing === undefined
    ? { ...envelope, type: 'custom.contact.preference', data: { category, value } }
    : { ...envelope, type: 'contact.updated', data: { marketing } };
}

const SENDER_FIELDS = ['from', 'from_user_id', 'wa_id', 'user_id'];

function senderOf(
  message: { from?: string | undefined; from_user_id?: string | undefined; from_parent_user_id?: string | undefined },
  profiles: readonly Profile[],
): ContactRef {
  const { from, from_user_id, from_parent_user_id } = message;
  const matches = (profile: Profile) =>
    (from !== undefined && profile.wa_id === from) || (from_user_id !== undefined && profile.user_id === from_user_id);
  const nameless = from === undefined && from_user_id === undefined;
  const profile = profiles.find(matches) ?? (nameless && profiles.length === 1 ? profiles[0] : undefined);
  const contact = contactOf({
    phone: from ?? profile?.wa_id,
    userId: from_user_id ?? profile?.user_id,
    parentUserId: from_parent_user_id ?? profile?.parent_user_id,
    displayName: profile?.profile?.name,
  });
  if (contact === undefined) throw new UnreadableUpdate('names no sender (from, from_user_id)');
  return contact;
}

/** An id for updates that Meta gives none: the same update again has the same id, and no phone number can be read from it. */
export function derivedId(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}

/** @throws {UnreadableUpdate} naming each field that does not fit. */
export function read<Shape>(schema: z.ZodType<Shape>, item: unknown): Shape {
  const parsed = schema.safeParse(item);
  if (parsed.success) return parsed.data;
  throw new UnreadableUpdate(
    parsed.error.issues
      .slice(0, 5)
      .map((issue) => `${issue.path.join('.') || 'update'}: ${issue.message}`)
      .join('; '),
  );
}

/** Profiles that can be read; a broken one only loses its name. */
export function profilesOf(contacts: readonly unknown[] | undefined): readonly Profile[] {
  return (contacts ?? []).flatMap((contact) => Profile.safeParse(contact).data ?? []);
}

/** Those that this update may be from. */
export function profilesFor(item: unknown, profiles: readonly Profile[]): readonly Profile[] {
  if (profiles.length <= 1 || typeof item !== 'object' || item === null) return profiles.slice(0, 1);
  const fields = Object.entries(item).filter(([field]) => SENDER_FIELDS.includes(field));
  const names = new Set(fields.map(([, value]: [string, unknown]) => value));
  return profiles.filter(({ wa_id, user_id }) =>
    [wa_id, user_id].some((name) => name !== undefined && names.has(name)),
  );
}
