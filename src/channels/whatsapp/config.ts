/** A WhatsApp number of a tenant, as `attache.config.json` names it. */
import { z } from 'zod';

/** The version Meta's own samples use (typing-indicator page, June 2026). */
const GRAPH_API = 'https://graph.facebook.com/v26.0';
/** Meta's default throughput of a number (notes of the Cloud API's throughput page); a number shared with the Business app gets 20. */
const DEFAULT_SENDS_PER_SECOND = 80;

export const WhatsAppConfig = z.strictObject({
  kind: z.literal('whatsapp'),
  phoneNumberId: z
    .string()
    .regex(/^[0-9]{1,40}$/, { error: 'must be the phone number id of the App Dashboard: digits only' }),
  accessToken: z.string().min(1),
  appSecret: z.string().min(1),
  /** The word you typed into the dashboard's webhook form: Meta sends it back in the handshake. */
  verifyToken: z.string().min(1),
  apiUrl: z.url({ protocol: /^https?$/ }).default(GRAPH_API),
  /** Several responders share the number (Meta's Conversation Routing): a hand-off passes the thread on, a close releases it. */
  conversationRouting: z.boolean().default(false),
  /** At most 1,000, Meta's highest grade. */
  sendsPerSecond: z.number().positive().max(1_000).default(DEFAULT_SENDS_PER_SECOND),
});
export type WhatsAppConfig = z.infer<typeof WhatsAppConfig>;

/** `whatsapp:100`: the channel's key and the source of its events. */
export function whatsAppKey(phoneNumberId: string): string {
  return `whatsapp:${phoneNumberId}`;
}
