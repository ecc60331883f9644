/** A system of the tenant's own that posts events to `/webhooks/generic/{tenant}`, signed by Standard Webhooks. */
import { z } from 'zod';

export const GenericConfig = z.strictObject({
  kind: z.literal('generic'),
  /** As Standard Webhooks writes one: `whsec_` and the base64 of 24 to 64 random bytes. */
  webhookSecret: z
    .string()
    .refine(isSecret, { error: 'must be "whsec_" and the base64 of 24 to 64 random bytes (openssl rand -base64 32)' }),
});
export type GenericConfig = z.infer<typeof GenericConfig>;

function isSecret(text: string): boolean {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  if (encoded === undefined || encoded.length % 4 !== 0) return false;
  const { length } = Buffer.from(encoded, 'base64');
  return length >= 24 && length <= 64;
}
