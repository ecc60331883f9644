/**
 * What happened in an account since an instant, read from its API and told as its webhooks would have told it. The API says
 * how a conversation stands; who was put in charge and what was opened shows against how it stood at the look before.
 */
import type { RecentQuery } from '../channel.ts';
import type { InboundItem } from '../inbound.ts';
import type { ChatwootApi } from './api.ts';
import { chatwootKey, subjectOf, type ChatwootConfig } from './config.ts';
import { readEvent, UnreadableEvent } from './parse-webhook.ts';
import { changesSince, noteOf } from './standing.ts';
import { ConversationList, RawMessages } from './webhook-schema.ts';

/** In REST answers a type is a number, in webhooks a word. */
const TYPES: Readonly<Record<string, string>> = { 0: 'incoming', 1: 'outgoing', 2: 'activity', 3: 'template' };
/** A thousand conversations that stirred since the last time: beyond that, something else is the matter. */
const MOST_PAGES = 40;
/** A hundred messages of one conversation. */
const MOST_MESSAGE_PAGES = 5;

type Query = RecentQuery & { readonly account: ChatwootConfig };
type Conversation = (typeof ConversationList)['_output']['data']['payload'][number];

/** Conversation by conversation, each from its oldest to its newest. @throws {ChannelError} */
export async function* recentEvents(api: ChatwootApi, query: Query): AsyncIterable<InboundItem> {
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const path = `/conversations?status=all&assignee_type=all&sort_by=last_activity_at_desc&page=${page}`;
    const { payload } = (await api.get({ path, answer: ConversationList, signal: query.signal })).data;
    const stirred = payload.filter((one) => (one.last_activity_at ?? one.created_at) >= query.since);
    for (const conversation of stirred) yield* eventsOf(api, conversation, query);
    if (payload.length === 0 || stirred.length < payload.length) return;
  }
}

async function* eventsOf(api: ChatwootApi, conversation: Conversation, query: Query): AsyncIterable<InboundItem> {
  const { account, since, memory } = query;
  if (conversation.created_at >= since) yield* told('conversation_created', asCreated(conversation), query);
  for (const message of await messagesOf(api, conversation.id, query)) {
    const type = TYPES[String(message.message_type)] ?? message.message_type;
    const additional_attributes = attributesOf(conversation, message.id);
    const of = { account: { id: account.accountId }, conversation };
    const body = { ...message, ...of, additional_attributes, message_type: type };
    yield* told('message_created', body, query);
    if (type === 'outgoing') yield* told('message_updated', body, query);
  }
  const subject = subjectOf(conversation.id, account);
  const changed_attributes = changesSince(await memory.of(subject), conversation);
  yield* told('conversation_status_changed', { ...conversation, changed_attributes }, query);
  await memory.keep(subject, noteOf(conversation));
}

/** The API tells no more whose it was then; whose it is now shows in how it stands. */
function asCreated({ meta, ...conversation }: Conversation): object {
  return { ...conversation, status: 'pending', meta: { ...meta, assignee: null } };
}

/** What tells a campaign's message: the list of messages leaves it out, a conversation shows it with its newest ones. */
function attributesOf({ messages, last_non_activity_message: last }: Conversation, id: number): unknown {
  return [...(messages ?? []), last].find((shown) => shown?.id === id)?.additional_attributes;
}

/** Oldest first. */
async function messagesOf(api: ChatwootApi, id: number, { since, signal }: Query) {
  const found: (typeof RawMessages)['_output']['payload'] = [];
  for (let page = 0; page < MOST_MESSAGE_PAGES; page += 1) {
    const before = found[0] === undefined ? '' : `?before=${found[0].id}`;
    const path = `/conversations/${id}/messages${before}`;
    const { payload } = await api.get({ path, answer: RawMessages, signal });
    const recent = payload.filter(({ created_at }) => created_at >= since);
    found.unshift(...recent.sort((one, other) => one.id - other.id));
    if (payload.length === 0 || recent.length < payload.length) break;
  }
  return found;
}

/** What cannot be read the webhook's own copy would have kept as a dead letter: here it is passed over. */
function* told(event: string, value: object, { tenant, account, until }: Query): Iterable<InboundItem> {
  try {
    const read = readEvent({ ...value, event }, { account, now: Date.parse(until) });
    if ('ignored' in read) return;
    for (const one of read.events) yield { tenant, channel: chatwootKey(account.accountId), event: one };
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
  }
}
