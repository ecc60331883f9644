/**
 * A Chatwoot account: an inbox as well as a channel. Chatwoot has no idempotency key, so our reference goes into
 * `content_attributes`, and before anything is sent again recent messages are searched for it.
 */
import { z } from 'zod';
import type {
  Channel,
  ConversationAddress,
  MediaRequest,
  OpenMedia,
  OutgoingMessage,
  RecentQuery,
  SendReceipt,
  SentLookup,
} from '../channel.ts';
import { ChannelError } from '../channel-error.ts';
import { ChatwootApi } from './api.ts';
import { chatwootKey, displayIdOf, type ChatwootConfig } from './config.ts';
import type { TemplateMessage } from '../../domain/schemas/templates.ts';
import { templateParams } from './template-params.ts';
import { openChatwootMedia } from './media.ts';
import { personInCharge } from './people.ts';
import { recentEvents } from './recent-events.ts';
import { LiveConversation, MessageList, REFERENCE, SentMessage, TeamList } from './webhook-schema.ts';

/** Chatwoot's own default allows 3,000 calls a minute from one address; a send makes two, and others need some. */
const SENDS_PER_SECOND = 15;
/** Twenty messages a page: a hundred messages after a lost answer are more than any conversation has. */
const PAGES_SEARCHED = 5;
/** How far its clock may be behind ours before a message of ours could be missed. */
const CLOCK_MARGIN_MS = 10 * 60_000;
const OUTGOING: readonly unknown[] = [1, 'outgoing'];
const Anything = z.unknown();

export function createChatwootChannel(
  config: ChatwootConfig,
  { answerTimeoutMs }: { readonly answerTimeoutMs?: number } = {},
): Channel {
  return new ChatwootChannel(config, new ChatwootApi(config, answerTimeoutMs));
}

class ChatwootChannel implements Channel {
  readonly kind = 'chatwoot';
  readonly key: string;
  /** Where the inbox behind it has one, the conversation says so itself: `can_reply`, read before each send. */
  readonly hasServiceWindow = false;
  readonly sendsPerSecond = SENDS_PER_SECOND;
  readonly pollEvery: string;
  private readonly config: ChatwootConfig;
  private readonly api: ChatwootApi;

  constructor(config: ChatwootConfig, api: ChatwootApi) {
    this.key = chatwootKey(config.accountId);
    this.pollEvery = config.pollEvery;
    this.config = config;
    this.api = api;
  }

  /** Reads the conversation as it is now first: a webhook that never came must not let us talk over a person. */
  async send({ to, reference, content, signal }: OutgoingMessage): Promise<SendReceipt> {
    await this.assertOurs(to, { free: content.kind === 'text', signal });
    const words =
      content.kind === 'text'
        ? { content: content.text }
        : {
            content: wordsOf(content.template),
            template_params: templateParams(content.template),
          };
    return this.write(to, { ...words, private: false, reference, signal });
  }

  async findSent({ to, reference, text, since, signal }: Parameters<Channel['findSent']>[0]): Promise<SentLookup> {
    const from = Date.parse(since);
    let before: number | undefined;
    for (let page = 0; page < PAGES_SEARCHED; page += 1) {
      const path = `${this.pathOf(to)}/messages${before === undefined ? '' : `?before=${before}`}`;
      const { payload } = await this.api.get({ path, answer: MessageList, signal });
      const found = payload.find((message) => isOurs(message, { reference, text, from }));
      if (found !== undefined) return { found: 'yes', providerId: String(found.id) };
      const oldest = payload[0];
      if (
        oldest === undefined ||
        (oldest.created_at !== undefined && Date.parse(oldest.created_at) < from - CLOCK_MARGIN_MS)
      )
        return { found: 'no' };
      before = Math.min(...payload.map((message) => message.id));
    }
    return { found: 'cannot_know' };
  }

  openMedia(request: MediaRequest): Promise<OpenMedia> {
    return openChatwootMedia(this.api, { path: this.pathOf(request.to), request });
  }

  recent(query: RecentQuery) {
    return recentEvents(this.api, { ...query, account: this.config });
  }

  async close(to: ConversationAddress, signal: AbortSignal): Promise<void> {
    await this.setStatus(to, 'resolved', signal);
  }

  /**
   * The note comes last: the steps before it may be repeated, a note would stand there twice. A team that does not exist
   * must not keep a customer from a person, so the note tells of it.
   */
  async handOff(
    to: ConversationAddress,
    { note, team }: { readonly note: string; readonly team?: string },
    signal: AbortSignal,
  ): Promise<void> {
    await this.setStatus(to, 'open', signal);
    const assigned = team === undefined || (await this.assignTeam(to, team, signal));
    await this.write(to, {
      content: assigned ? note : `${note}\n\n(Chatwoot has no team "${team}".)`,
      private: true,
      signal,
    });
  }

  async addNote(
    to: ConversationAddress,
    { text, reference }: { readonly text: string; readonly reference: string },
    signal: AbortSignal,
  ): Promise<void> {
    await this.write(to, { content: text, private: true, reference, signal });
  }

  /** @throws {ChannelError} when a person holds it, it is closed, or the inbox takes no free text any more. */
  private async assertOurs(
    to: ConversationAddress,
    { free, signal }: { readonly free: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    const { status, meta, can_reply } = await this.api.get({ path: this.pathOf(to), answer: LiveConversation, signal });
    if (personInCharge({ meta }) !== null)
      throw new ChannelError({
        failure: 'permanent',
        code: 'held_by_human',
        message: 'Chatwoot: the conversation is assigned to a person',
      });
    if (this.config.agentBot && status === 'open')
      throw new ChannelError({
        failure: 'permanent',
        code: 'held_by_human',
        message: 'Chatwoot: the conversation is open, so people have it; pending gives it to the bot',
      });
    if (status === 'resolved')
      throw new ChannelError({
        failure: 'permanent',
        code: 'conversation_closed',
        message: 'Chatwoot: the conversation is resolved',
      });
    if (free && can_reply === false)
      throw new ChannelError({
        failure: 'window_closed',
        code: 'can_reply',
        message: 'Chatwoot: this inbox takes no free text now',
      });
  }

  private async write(
    to: ConversationAddress,
    {
      reference,
      signal,
      ...message
    }: {
      readonly content: string;
      readonly private: boolean;
      readonly reference?: string;
      readonly template_params?: object;
      readonly signal: AbortSignal;
    },
  ): Promise<SendReceipt> {
    const attributes = reference === undefined ? {} : { content_attributes: { [REFERENCE]: reference } };
    const body = { ...message, ...attributes, message_type: 'outgoing' };
    const { id } = await this.api.post({ path: `${this.pathOf(to)}/messages`, body, answer: SentMessage, signal });
    return { providerId: String(id) };
  }

  private async setStatus(to: ConversationAddress, status: 'open' | 'resolved', signal: AbortSignal): Promise<void> {
    await this.api.post({ path: `${this.pathOf(to)}/toggle_status`, body: { status }, answer: Anything, signal });
  }

  private pathOf({ conversation }: ConversationAddress): string {
    return `/conversations/${encodeURIComponent(displayIdOf(conversation, this.config))}`;
  }

  /** False: there is no such team. */
  private async assignTeam(to: ConversationAddress, name: string, signal: AbortSignal): Promise<boolean> {
    const teams = await this.api.get({ path: '/teams', answer: TeamList, signal });
    const team = teams.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (team === undefined) return false;
    const body = { team_id: team.id };
    await this.api.post({ path: `${this.pathOf(to)}/assignments`, body, answer: Anything, signal });
    return true;
  }
}

/** What the inbox shows for it: Chatwoot itself does not fill the template in. */
function wordsOf({ name, parameters, named = {} }: TemplateMessage): string {
  return [...parameters, ...Object.values(named)].join('\n') || name;
}

/** By our reference; or, should an inbox drop foreign attributes, the same words sent since. */
function isOurs(
  message: z.infer<typeof SentMessage>,
  { reference, text, from }: { readonly reference: string; readonly text: string | null; readonly from: number },
): boolean {
  const theirs = message.content_attributes?.[REFERENCE];
  if (theirs !== undefined) return theirs === reference;
  const recent = message.created_at !== undefined && Date.parse(message.created_at) >= Math.floor(from / 1_000) * 1_000;
  return recent && text !== null && message.content === text && OUTGOING.includes(message.message_type);
}
