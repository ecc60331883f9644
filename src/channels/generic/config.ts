/**
 * A CRM of the tenant's own: it posts events to `/webhooks/generic/{tenant}`, signed by Standard Webhooks. With `url` it is
 * a channel too: agents write through it (docs/guide/crm-channel.md).
 */
import { z } from 'zod';
import { SigningSecret } from '../signing-secret.ts';

export const GenericConfig = z
  .strictObject({
    kind: z.literal('generic'),
    /** It signs what it posts to us with this. */
    webhookSecret: SigningSecret,
    /** Where it answers the contract of docs/crm-channel.openapi.json. Absent: it only tells. */
    url: z.url({ protocol: /^https?$/, error: 'must be an address beginning with https:// or http://' }).optional(),
    /** We sign what we ask it with this. */
    signingSecret: SigningSecret.optional(),
    /** Its customers may only be written to freely within 24 hours of their last message, as on WhatsApp. */
    hasServiceWindow: z.boolean().default(false),
    sendsPerSecond: z.number().positive().max(1_000).default(20),
  })
  .refine(({ url, signingSecret }) => (url === undefined) === (signingSecret === undefined), {
    path: ['signingSecret'],
    error: 'is needed with url, and only then: what we ask the server is signed with it',
  })
  .refine(({ webhookSecret, signingSecret }) => webhookSecret !== signingSecret, {
    path: ['signingSecret'],
    error: 'must not be webhookSecret: what we sign could be posted back to us as its own',
  });
export type GenericConfig = z.infer<typeof GenericConfig>;

/** One a tenant: the channel's key. */
export const GENERIC_KEY = 'generic';

/** A server that agents write through. */
export interface CrmServer {
  readonly url: string;
  readonly signingSecret: string;
  readonly hasServiceWindow: boolean;
  readonly sendsPerSecond: number;
}

/** Undefined: it only tells. */
export function serverOf({ url, signingSecret, ...rest }: GenericConfig): CrmServer | undefined {
  return url === undefined || signingSecret === undefined ? undefined : { ...rest, url, signingSecret };
}
