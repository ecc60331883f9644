/** A Chatwoot account of a tenant, as `attache.config.json` names it. */
import { z } from 'zod';

export const ChatwootConfig = z.strictObject({
  kind: z.literal('chatwoot'),
  /** Of the installation: `https://app.chatwoot.com`, or your own. */
  url: z.url({ protocol: /^https?$/ }),
  accountId: z.int().positive(),
  /** Of the agent bot, or of a user made for it: what it writes then carries that name. */
  apiToken: z.string().min(1),
  /** Chatwoot makes one per webhook (4.11 and later) and shows it there. */
  webhookSecret: z.string().min(1),
});
export type ChatwootConfig = z.infer<typeof ChatwootConfig>;

/** `chatwoot:1`: the channel's key and the source of its events. */
export function chatwootKey(accountId: number): string {
  return `chatwoot:${accountId}`;
}
