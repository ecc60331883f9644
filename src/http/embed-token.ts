/** A token that shows one conversation in a CRM's page, for a while: signed, so that nothing of it need be kept. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Desk } from '../desk/desk.ts';
import type { ConversationId, TenantId } from '../domain/ids.ts';
import { ConversationIdSchema, TenantIdSchema } from '../domain/schemas/ids.ts';
import { ProblemError } from './problems.ts';

const PREFIX = 'emb';

/** What the token says. Members are short: it stands in an address. */
const Claims = z.object({
  tenant: TenantIdSchema,
  conversation: ConversationIdSchema,
  acts: z.array(z.string()),
  /** The one that may frame it. */
  origin: z.string(),
  /** Seconds since 1970. */
  until: z.int(),
  /** Of the key that made it, which it does not outlive; null: made where there are no keys. */
  name: z.string(),
  key: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('desk'), id: z.string() }),
      z.object({ kind: z.literal('configured'), fingerprint: z.string() }),
    ])
    .nullable(),
  /** For whom. */
  person: z.string().nullable(),
});
export interface EmbedClaims extends Omit<z.infer<typeof Claims>, 'tenant' | 'conversation'> {
  readonly tenant: TenantId;
  readonly conversation: ConversationId;
}

type Deps = { readonly desk: Pick<Desk, 'secrets'> };

export function isEmbedToken(token: string): boolean {
  return token.startsWith(`${PREFIX}.`);
}

export async function writeEmbedToken(claims: EmbedClaims, { desk }: Deps): Promise<string> {
  const body = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${PREFIX}.${body}.${signatureOf(body, await desk.secrets.get('embed')).toString('base64url')}`;
}

/** @throws {ProblemError} `unauthenticated` */
export async function readEmbedToken(token: string, { desk }: Deps): Promise<EmbedClaims> {
  const [, body = '', given = ''] = token.split('.');
  const expected = signatureOf(body, await desk.secrets.get('embed'));
  const signature = Buffer.from(given, 'base64url');
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected))
    throw new ProblemError('unauthenticated', 'this embed token was not signed here');
  const read = Claims.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString()));
  // One that another version of this server signed says other things.
  const claims = read.success ? (read.data as EmbedClaims) : null;
  if (claims === null || claims.until * 1_000 <= Date.now())
    throw new ProblemError('unauthenticated', 'this embed token has expired; reload the page that shows the panel');
  return claims;
}

function signatureOf(body: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(`${PREFIX}.${body}`).digest();
}
