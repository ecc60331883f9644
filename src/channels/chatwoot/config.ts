/** A Chatwoot account of a tenant, as `attache.config.json` names it. */
import { z } from 'zod';
import { conversationSubject, parseConversationId, type Subject } from '../../domain/ids.ts';
import { ms } from '../../domain/durations.ts';
import { Duration } from '../../domain/schemas/values.ts';

export const ChatwootConfig = z.strictObject({
  kind: z.literal('chatwoot'),
  /** Of the installation: `https://app.chatwoot.com`, or your own. */
  url: z.url({ protocol: /^https?$/ }),
  accountId: z.int().positive(),
  /** Of the agent bot, or of a user made for it: what it writes then carries that name. */
  apiToken: z.string().min(1),
  /** Chatwoot makes one per webhook (4.11 and later) and shows it there. */
  webhookSecret: z.string().min(1),
  /** Chatwoot signs what it posts to an agent bot's own address with a secret of the bot (4.13 and later). */
  botWebhookSecret: z.string().min(1).optional(),
  /**
   * The inboxes are connected to an agent bot, so its conversations are `pending` and what is `open` people have: nothing is
   * said there, though no webhook has told of it. False: conversations begin `open`, and say nothing about who has them.
   */
  agentBot: z.boolean().default(false),
  /** Each account numbers its conversations from 1: of a tenant's several accounts, all but one need a name of their own here. */
  conversationPrefix: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,19}$/, { error: 'must be up to 20 lower-case letters and digits, such as support' })
    .optional(),
  /** How often to ask for what webhooks did not bring: Chatwoot posts each of an account's once, and never again. */
  pollEvery: Duration.refine((text) => ms(text) >= 1_000, { error: 'must be 1s or more' }).default('5m'),
});
export type ChatwootConfig = z.infer<typeof ChatwootConfig>;

/** `chatwoot:1`: the channel's key and the source of its events. */
export function chatwootKey(accountId: number): string {
  return `chatwoot:${accountId}`;
}

/** Chatwoot's number of a conversation → ours: `42`, or `support-42`. */
export function subjectOf(displayId: number, { conversationPrefix }: ChatwootConfig): Subject {
  const id = conversationPrefix === undefined ? String(displayId) : `${conversationPrefix}-${displayId}`;
  return conversationSubject(parseConversationId(id));
}

/** The inverse: what Chatwoot calls the conversation. */
export function displayIdOf(conversation: string, { conversationPrefix }: ChatwootConfig): string {
  const prefix = conversationPrefix === undefined ? '' : `${conversationPrefix}-`;
  return conversation.startsWith(prefix) ? conversation.slice(prefix.length) : conversation;
}
