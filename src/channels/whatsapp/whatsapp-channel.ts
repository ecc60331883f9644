/** A WhatsApp number by the Cloud API: one POST a message, and every answer told in the terms of `ChannelError`. */
import { z } from 'zod';
import {
  ChannelError,
  type Channel,
  type ConversationAddress,
  type OutgoingMessage,
  type SendReceipt,
  type SentLookup,
} from '../channel.ts';
import { channelErrorOf } from '../fetch-failure.ts';
import { retryAfterMs } from '../retry-after.ts';
import { whatsAppKey, type WhatsAppConfig } from './config.ts';
import { meaningOf } from './failures.ts';
import { recipientOf } from './identity.ts';
import { errorOf } from './parse-messages.ts';
import { MetaError } from './webhook-schema.ts';

const PROVIDER = 'WhatsApp';
/** Meta answers within two seconds as a rule; one that takes ten times as long is worth asking about rather than waiting for. */
const ANSWER_TIMEOUT_MS = 20_000;

/**
 * Meta takes about one message in 6 s to one person, and a burst of 45 that is borrowed from the time after (error 131056
 * beyond). A third is left to the people who write from the same number.
 */
const PER_CONTACT = { perSecond: 1 / 6, burst: 30 };

const Accepted = z.object({ messages: z.tuple([z.object({ id: z.string().min(1) })], z.unknown()) });
const Refused = z.object({ error: MetaError });

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
  private readonly config: WhatsAppConfig;
  private readonly answerTimeoutMs: number;

  constructor(config: WhatsAppConfig, answerTimeoutMs: number) {
    this.config = config;
    this.key = whatsAppKey(config.phoneNumberId);
    this.sendsPerSecond = config.sendsPerSecond;
    this.answerTimeoutMs = answerTimeoutMs;
  }

  async send(message: OutgoingMessage): Promise<SendReceipt> {
    const answer = await this.post(messageBody(message), message.signal);
    const accepted = Accepted.safeParse(answer);
    if (accepted.success) return { providerId: accepted.data.messages[0].id };
    throw new ChannelError({
      failure: 'unknown_fate',
      code: 'unreadable_answer',
      message: `${PROVIDER} accepted the call but named no message id`,
    });
  }

  async showTyping(_to: ConversationAddress, inReplyTo: string, signal: AbortSignal): Promise<void> {
    const read = { messaging_product: 'whatsapp', status: 'read', message_id: inReplyTo };
    await this.post({ ...read, typing_indicator: { type: 'text' } }, signal);
  }

  /** The Cloud API cannot be asked for past messages: the proof is a status that carries the reference, which the desk sees. */
  findSent(): Promise<SentLookup> {
    return Promise.resolve({ found: 'cannot_know' });
  }

  private async post(body: object, signal: AbortSignal): Promise<unknown> {
    if (signal.aborted)
      throw new ChannelError({
        failure: 'outage',
        code: 'cancelled',
        message: 'the attempt was cancelled before the call: nothing was sent',
      });
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${this.config.apiUrl.replace(/\/$/, '')}/${this.config.phoneNumberId}/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.config.accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        // A redirect would send the token and the message somewhere nobody configured.
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(this.answerTimeoutMs)]),
      });
      text = await response.text();
    } catch (cause) {
      throw channelErrorOf(cause, PROVIDER);
    }
    const answer = jsonOf(text);
    if (response.ok) return answer;
    throw refusal(response, answer);
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
    case 'template': {
      const { name, language, parameters } = content.template;
      const body = { type: 'body', parameters: parameters.map((text) => ({ type: 'text', text })) };
      return {
        ...common,
        type: 'template',
        template: { name, language: { code: language }, ...(parameters.length > 0 && { components: [body] }) },
      };
    }
  }
}

/** Meta's code decides; without one that we know, the HTTP status. */
function refusal(response: Response, answer: unknown): ChannelError {
  const refused = Refused.safeParse(answer).data?.error;
  const code = Number(refused?.code ?? Number.NaN);
  const meaning = meaningOf(code) ?? byStatus(response.status);
  const said =
    refused === undefined
      ? `HTTP ${response.status}`
      : `${errorOf(refused).message} [${code}, HTTP ${response.status}]`;
  const wait = retryAfterMs(response.headers.get('retry-after'), Date.now()) ?? meaning.wait;
  return new ChannelError({
    failure: meaning.failure,
    code: refused === undefined ? `http_${response.status}` : String(refused.code),
    message: `${PROVIDER}: ${meaning.what}. It said: ${said.slice(0, 400)}`,
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

function byStatus(status: number): {
  readonly failure: ChannelError['failure'];
  readonly what: string;
  readonly wait?: number;
} {
  if (status === 401 || status === 403) return { failure: 'unauthorized', what: 'the access token was refused' };
  if (status === 429) return { failure: 'rate_limited', what: 'too many calls' };
  if (status === 408 || status >= 500)
    return { failure: 'unknown_fate', what: 'failed without saying whether the message went out' };
  return { failure: 'permanent', what: 'the request was refused' };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
