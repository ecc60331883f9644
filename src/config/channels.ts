/** What each channel needs to know, as a tenant's entry in `attache.config.json` tells it. */
import { z } from 'zod';

const secret = z.string().min(1);

export const ChannelConfig = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('whatsapp'),
    phoneNumberId: z
      .string()
      .regex(/^[0-9]{1,40}$/, { error: 'must be the phone number id of the App Dashboard: digits only' }),
    accessToken: secret,
    appSecret: secret,
    verifyToken: secret,
    apiUrl: z.url({ protocol: /^https?$/ }).default('https://graph.facebook.com/v26.0'),
  }),
  z.strictObject({
    kind: z.literal('chatwoot'),
    url: z.url({ protocol: /^https?$/ }),
    accountId: z.int().positive(),
    apiToken: secret,
    webhookSecret: secret,
  }),
  z.strictObject({ kind: z.literal('generic'), webhookSecret: secret }),
  z.strictObject({ kind: z.literal('simulated') }),
]);
export type ChannelConfig = z.infer<typeof ChannelConfig>;
