/** A WhatsApp number by the Cloud API: one POST a message, and every answer told in the terms of `ChannelError`. */
import { z } from 'zod';
import type {
  Channel,
  ConversationAddress,
  MediaRequest,
  OpenMedia,
  OutgoingMessage,
  SendReceipt,
  SentLookup,
} from '../channel.ts';
import { ChannelError } from '../channel-error.ts';
import { whatsAppKey, type WhatsAppConfig } from './config.ts';
import { GraphApi, PROVIDER } from './graph-api.ts';
import { contactOf, recipientOf } from './identity.ts';
import { openWhatsAppMedia } from './media.ts';
import { templateBody } from './template-components.ts';

/** Meta answers within two seconds as a rule; one that takes ten times as long is worth asking about rather than waiting for. */
const ANSWER_TIMEOUT_MS = 20_000;

/**
 * Meta takes about one message in 6 s to one person, and a burst of 45 that is borrowed from the time after (error 131056
 * beyond). A third is left to the people who write from the same number.
 */
const PER_CONTACT = { perSecond: 1 / 6, burst: 30 };

/** Of what is told to the next responder ("Thread control", Conversation Routing). */
const METADATA_LIMIT = 2_000;

const name = z.string().optional().catch(undefined);
const Accepted = z.object({
  messages: z.tuple([z.object({ id: z.string().min(1) })], z.unknown()),
  contacts: z
    .array(z.object({ wa_id: name, user_id: name, parent_user_id: name }))
    .optional()
    .catch(undefined),
});

/** `answerTimeoutMs`: how long to wait for Meta's answer before the message's fate counts as unknown. */
export function createWhatsAppChannel(
  config: WhatsAppConfig,
  { answerTimeoutMs = ANSWER_TIMEOUT_MS }: { readonly answerTimeoutMs?: number } = {},
): Channel {
  return new WhatsAppChannel(config, answerTimeoutMs);
}

class WhatsAppChannel implements Channel {
  readonly kind = 'whatsapp';
  readonly key: string;
  readonly hasServiceWindow = true;
  readonly perContact = PER_CONTACT;
  readonly sendsPerSecond: number;
  readonly handOff?: NonNullable<Channel['handOff']>;
  readonly close?: NonNullable<Channel['close']>;
  private readonly phoneNumberId: string;
  private readonly api: GraphApi;

  constructor(config: WhatsAppConfig, answerTimeoutMs: number) {
    this.phoneNumberId = config.phoneNumberId;
    this.key = whatsAppKey(config.phoneNumberId);
    this.sendsPerSecond = config.sendsPerSecond;
    this.api = new GraphApi(config, answerTimeoutMs);
    if (!config.conversationRouting) return;
    // Taking it back needs no call: a message of ours does.
    this.handOff = async (to, { note }, signal) => {
      await this.threadControl(to, { action: 'pass', metadata: note.slice(0, METADATA_LIMIT) }, signal);
    };
    this.close = async (to, signal) => this.threadControl(to, { action: 'release' }, signal);
  }

  async send(message: OutgoingMessage): Promise<SendReceipt> {
    const answer = await this.sent(message);
    const accepted = Accepted.safeParse(answer);
    if (accepted.success)
      return { providerId: accepted.data.messages[0].id, names: namesIn(accepted.data, message.to.address) };
    throw new ChannelError({
      failure: 'unknown_fate',
      code: 'unreadable_answer',
      message: `${PROVIDER} accepted the call but named no message id`,
    });
  }

  private async sent(message: OutgoingMessage): Promise<unknown> {
    try {
      return await this.api.post('messages', messageBody(message), message.signal);
    } catch (error) {
      throw message.content.kind === 'template' ? namingTemplate(error, message.content.template.name) : error;
    }
  }

  async showTyping(_to: ConversationAddress, inReplyTo: string, signal: AbortSignal): Promise<void> {
    const read = { messaging_product: 'whatsapp', status: 'read', message_id: inReplyTo };
    await this.api.post('messages', { ...read, typing_indicator: { type: 'text' } }, signal);
  }

  private async threadControl(
    { address }: ConversationAddress,
    control: { readonly action: 'pass' | 'release'; readonly metadata?: string },
    signal: AbortSignal,
  ): Promise<void> {
    await this.api.post(
      'thread_control',
      { messaging_product: 'whatsapp', ...recipientOf(address), ...control },
      signal,
    );
  }

  /** The Cloud API cannot be asked for past messages: the proof is a status that carries the reference, which the desk sees. */
  findSent(): Promise<SentLookup> {
    return Promise.resolve({ found: 'cannot_know' });
  }

  openMedia(request: MediaRequest): Promise<OpenMedia> {
    return openWhatsAppMedia(this.api, { phoneNumberId: this.phoneNumberId, request });
  }
}

function messageBody({ to, reference, content }: OutgoingMessage): object {
  const common = {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...recipientOf(to.address),
    biz_opaque_callback_data: reference,
  };
  switch (content.kind) {
    case 'text':
      return { ...common, type: 'text', text: { body: content.text, preview_url: false } };
    case 'template':
      return { ...common, type: 'template', template: templateBody(content.template) };
  }
}

/** Of what is wrong with a template (132xxx) the code alone would leave the operator to guess with which. */
function namingTemplate(error: unknown, name: string): unknown {
  if (!(error instanceof ChannelError) || !/^132\d{3}$/.test(error.code)) return error;
  const { failure, code, message } = error;
  return new ChannelError({ failure, code: `${code} (template ${name})`, message });
}

/** Whom Meta sent it to, where it calls them otherwise than we do: it spells phones as of the day an account was made. */
function namesIn({ contacts = [] }: z.infer<typeof Accepted>, address: string): readonly string[] {
  const person = contacts.length === 1 ? contacts[0] : undefined;
  const ref = contactOf({ phone: person?.wa_id, userId: person?.user_id, parentUserId: person?.parent_user_id });
  return ref === undefined ? [] : [ref.address, ...(ref.aliases ?? [])].filter((known) => known !== address);
}
