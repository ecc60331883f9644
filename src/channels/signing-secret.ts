/** A secret of Standard Webhooks, as a configuration names it. */
import { z } from 'zod';

/** `whsec_` and the base64 of 24 to 64 random bytes. */
export const SigningSecret = z
  .string()
  .refine(isSecret, { error: 'must be "whsec_" and the base64 of 24 to 64 random bytes (openssl rand -base64 32)' });

function isSecret(text: string): boolean {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  if (encoded === undefined || encoded.length % 4 !== 0) return false;
  const { length } = Buffer.from(encoded, 'base64');
  return length >= 24 && length <= 64;
}
