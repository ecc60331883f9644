/** A signed POST of Chatwoot's → facts to store. One event each; nothing that is JSON makes it throw. */
import type { z } from 'zod';
import type { TenantId } from '../../domain/ids.ts';
import type { EventInput, MessageAuthor } from '../../domain/schemas/events.ts';
import type { ParsedBody } from '../inbound.ts';
import { readJson, storableBody } from '../raw-json.ts';
import { chatwootKey, subjectOf, type ChatwootConfig } from './config.ts';
import { contentOf, isEmpty } from './contents.ts';
import { conversationEvents } from './conversation-facts.ts';
import { contactOf } from './people.ts';
import { ConversationEvent, Event, MessageEvent, REFERENCE } from './webhook-schema.ts';

export interface ChatwootPost {
  readonly tenant: TenantId;
  readonly body: Uint8Array;
  readonly account: ChatwootConfig;
  /** ms since 1970, when it came. */
  readonly now: number;
}

/** Whose event, and when it is read: ms since 1970. */
export interface Reading {
  readonly account: ChatwootConfig;
  readonly now: number;
}

/**
 * Some inboxes tell a message first and its files a moment later, by an update. So long a message with nothing in it is
 * expected to be filled: the update then is the first anybody hears of it. After that it counts as it is; the poll tells it.
 */
const FILLED_WITHIN_MS = 60_000;
/** An update of a message older than this makes nobody hear it who has not yet: no history is swept up. */
const YOUNG_MS = 10 * 60_000;

/** The event is unreadable for this reason. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
}

type Read = { readonly events: readonly EventInput[] } | { readonly ignored: string };

export function parseChatwootWebhook({ tenant, body, account, now }: ChatwootPost): ParsedBody {
  const source = chatwootKey(account.accountId);
  const unreadable = (problem: string): ParsedBody => ({
    items: [],
    unreadable: [{ tenant, source, body: storableBody(body), problem }],
    ignored: [],
  });
  const json = readJson(body);
  if (!json.ok) return unreadable(json.problem);
  try {
    const result = readEvent(json.value, { account, now });
    if ('ignored' in result) return { items: [], unreadable: [], ignored: [result.ignored] };
    return { items: result.events.map((event) => ({ tenant, channel: source, event })), unreadable: [], ignored: [] };
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
    return unreadable(error.message);
  }
}

/** What one of Chatwoot's events says, whether it was posted or is made up from what the API answered. @throws {UnreadableEvent} */
export function readEvent(value: unknown, reading: Reading): Read {
  const { account } = reading;
  const { event, account: of } = read(Event, value);
  if (of != null && of.id !== account.accountId)
    throw new UnreadableEvent(
      `it is of account ${of.id}, and the secret that signed it is account ${account.accountId}'s in "channels" of attache.config.json: correct accountId there, then deliver this again`,
    );
  switch (event) {
    case 'message_created':
      return messageEvents(read(MessageEvent, value), reading);
    case 'message_updated':
      return updateEvents(read(MessageEvent, value), reading);
    case 'conversation_created':
    case 'conversation_status_changed':
    case 'conversation_resolved':
    case 'conversation_opened':
    case 'conversation_updated':
      return eventsOr(event, conversationEvents(event, read(ConversationEvent, value), account));
    default:
      return { ignored: event.slice(0, 60) };
  }
}

function eventsOr(name: string, events: readonly EventInput[]): Read {
  return events.length === 0 ? { ignored: name } : { events };
}

function envelopeOf({ id, created_at, conversation }: MessageEvent, account: ChatwootConfig) {
  const source = chatwootKey(account.accountId);
  return { id: `message:${id}`, source, time: created_at, subject: subjectOf(conversation.id, account) };
}

function messageEvents(message: MessageEvent, { account, now }: Reading): Read {
  const content = contentOf(message);
  const envelope = envelopeOf(message, account);
  const providerId = String(message.id);
  switch (message.message_type) {
    case 'incoming':
      if (isDeleted(message)) return { ignored: 'message_created that is deleted' };
      if (isEmpty(message) && ageOf(message, now) < FILLED_WITHIN_MS)
        return { ignored: 'message_created with nothing in it yet' };
      return { events: [inboundOf(message, account)] };
    case 'outgoing':
    case 'template':
      return {
        events: [{ ...envelope, type: 'message.outbound', data: { providerId, content, ...outboundOf(message) } }],
      };
    default:
      return { ignored: `message_created ${message.message_type}`.slice(0, 60) };
  }
}

function inboundOf(message: MessageEvent, account: ChatwootConfig): EventInput {
  const contact = contactOf(message.sender ?? message.conversation.meta?.sender);
  const data = { providerId: String(message.id), content: contentOf(message), ...(contact && { contact }) };
  return { ...envelopeOf(message, account), type: 'message.inbound', data };
}

function ageOf({ created_at }: MessageEvent, now: number): number {
  return now - Date.parse(created_at);
}

function outboundOf(message: MessageEvent): {
  author: MessageAuthor;
  private: boolean;
  by?: string;
  reference?: string;
} {
  const reference = message.content_attributes?.[REFERENCE];
  return {
    author: authorOf(message),
    private: message.private ?? false,
    ...(message.sender?.name != null && { by: message.sender.name.slice(0, 200) }),
    ...(typeof reference === 'string' && { reference: reference.slice(0, 512) }),
  };
}

/**
 * Whose hand wrote it, as far as the event tells; whether it is ours the desk knows by id and reference. A person's reply
 * from their phone has no sender at all, so only what is known to be a machine's is not a human's: greetings, out-of-office and
 * surveys (`template`), campaigns, automation rules, other bots.
 */
function authorOf(message: MessageEvent): MessageAuthor {
  const automatic =
    message.message_type === 'template' ||
    message.additional_attributes?.['campaign_id'] != null ||
    message.content_attributes?.['automation_rule_id'] != null ||
    (message.sender?.type != null && message.sender.type !== 'user');
  return automatic ? 'automation' : 'human';
}

/** Chatwoot's own words then stand in place of what was said. */
function isDeleted({ content_attributes }: MessageEvent): boolean {
  return content_attributes?.['deleted'] === true;
}

const STATUSES = ['delivered', 'read', 'failed'] as const;

function updateEvents(message: MessageEvent, { account, now }: Reading): Read {
  const envelope = envelopeOf(message, account);
  const providerId = String(message.id);
  if (isDeleted(message)) {
    const time = new Date(now).toISOString();
    const data = { about: providerId };
    return { events: [{ ...envelope, id: `${envelope.id}:deleted`, time, type: 'message.deleted', data }] };
  }
  // Files that were not there yet when the message was told; or, were there nothing in it, the message: told once by its id.
  if (message.message_type === 'incoming' && (message.attachments ?? []).length > 0) {
    const content = contentOf(message);
    const files = content.kind === 'media' ? 1 + (content.more?.length ?? 0) : 0;
    const id = `${envelope.id}:attached${files > 1 ? `:${files}` : ''}`;
    const data = { about: providerId, content };
    const first = ageOf(message, now) < YOUNG_MS ? [inboundOf(message, account)] : [];
    return { events: [...first, { ...envelope, id, type: 'message.edited', data }] };
  }
  const status = STATUSES.find((known) => known === message.status);
  if (status === undefined || message.message_type !== 'outgoing') return { ignored: 'message_updated' };
  const reference = message.content_attributes?.[REFERENCE];
  const told = message.content_attributes?.['external_error'];
  return {
    events: [
      {
        ...envelope,
        id: `${envelope.id}:${status}`,
        type: 'message.status',
        data: {
          providerId,
          status,
          ...(typeof reference === 'string' && { reference: reference.slice(0, 512) }),
          ...(status === 'failed' && {
            error: { code: 'chatwoot', message: typeof told === 'string' ? told.slice(0, 1_000) : 'not delivered' },
          }),
        },
      },
    ],
  };
}

function read<Shape>(schema: z.ZodType<Shape>, value: unknown): Shape {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UnreadableEvent(
    parsed.error.issues
      .slice(0, 5)
      .map((issue) => `${issue.path.join('.') || 'event'}: ${issue.message}`)
      .join('; '),
  );
}
