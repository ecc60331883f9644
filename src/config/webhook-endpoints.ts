/** Where a tenant's own systems are told what happened: `tenants.X.webhooks` of `attache.config.json`. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { addressKind, objectionToHost } from '../channels/addresses.ts';
import { SigningSecret } from '../channels/signing-secret.ts';
import { NAME_PATTERN, NAME_RULE } from '../domain/ids.ts';
import { WEBHOOK_TYPES } from '../domain/webhooks.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export const WebhookEndpoint = z
  .strictObject({
    /** What lists and commands call it; made from the address when absent. */
    id: z
      .string()
      .regex(NAME_PATTERN, { error: `must be ${NAME_RULE}` })
      .optional(),
    url: z.url({ protocol: /^https?$/, error: 'must be an address beginning with https:// (or http://)' }),
    secret: SigningSecret,
    /** While the secret is being changed: both sign, so that the receiver may change whenever it likes. */
    previousSecret: SigningSecret.optional(),
    /** Absent: all of them. */
    types: z.array(z.enum(WEBHOOK_TYPES)).min(1).optional(),
    /** Addresses of this machine and of private networks are refused unless this says that they are meant. */
    allowPrivateNetwork: z.boolean().default(false),
  })
  .refine(isSafe, {
    path: ['url'],
    error: 'must begin with https:// outside of private networks: what is told would be readable on its way',
  })
  .refine(isReached, {
    path: ['allowPrivateNetwork'],
    error: 'must be true: url is an address of this machine or of a private network, where nothing is sent otherwise',
  })
  .transform((endpoint) => ({ ...endpoint, id: endpoint.id ?? idOf(endpoint.url) }));
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>;

function isSafe({ url, allowPrivateNetwork }: { url: string; allowPrivateNetwork: boolean }): boolean {
  if (!URL.canParse(url)) return true;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || allowPrivateNetwork || LOOPBACK.test(hostname);
}

/** What a name leads to is looked at before each call; what is an address already never leads elsewhere. */
function isReached({ url, allowPrivateNetwork }: { url: string; allowPrivateNetwork: boolean }): boolean {
  if (allowPrivateNetwork || !URL.canParse(url)) return true;
  const target = new URL(url);
  const isPrivate = (address: string) => (addressKind(address) === 'private' ? address : undefined);
  return target.hostname !== 'localhost' && objectionToHost(target, isPrivate) === undefined;
}

/** The same for the same address, wherever it stands in the file: an endpoint that was switched off stays so. */
function idOf(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 12);
}

/** Who wants to be told of this type. */
export function subscribed(endpoints: readonly WebhookEndpoint[], type: string): readonly string[] {
  return endpoints.filter(({ types }) => types === undefined || types.some((one) => one === type)).map(({ id }) => id);
}
