/** A system of the tenant's own that posts events to `/webhooks/generic/{tenant}`, signed by Standard Webhooks. */
import { z } from 'zod';
import { SigningSecret } from '../signing-secret.ts';

export const GenericConfig = z.strictObject({
  kind: z.literal('generic'),
  /** It signs what it posts to us with this. */
  webhookSecret: SigningSecret,
});
export type GenericConfig = z.infer<typeof GenericConfig>;
