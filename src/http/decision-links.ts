/**
 * Signed links with which one person decides on one proposal: `{base}/decide/{token}`. The token says for whom, on what and
 * until when, and an HMAC-SHA-256 vouches for it. It is good for one decision because a proposal is.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { TenantId } from '../domain/ids.ts';
import { TenantIdSchema } from '../domain/schemas/ids.ts';
import { Instant } from '../domain/schemas/values.ts';

const Token = z.strictObject({
  t: TenantIdSchema,
  /** Investigation. */
  i: z.string(),
  /** Hash of the proposal. */
  h: z.string(),
  /** Person. */
  p: z.string(),
  /** Expiry. */
  x: Instant,
});

export interface DecisionLink {
  readonly tenant: TenantId;
  readonly investigation: string;
  readonly proposalHash: string;
  readonly person: string;
  readonly expiresAt: string;
}

export function decisionToken(link: DecisionLink, secret: string): string {
  const { tenant: t, investigation: i, proposalHash: h, person: p, expiresAt: x } = link;
  const body = Buffer.from(JSON.stringify({ t, i, h, p, x })).toString('base64url');
  return `${body}.${signatureOf(body, secret)}`;
}

/** Null: it is none of ours. One that has expired still reads, so that its holder can be told. */
export function readDecisionToken(token: string, secret: string): DecisionLink | null {
  const [body = '', signature = '', ...more] = token.split('.');
  const [given, right] = [Buffer.from(signature), Buffer.from(signatureOf(body, secret))];
  if (more.length > 0 || given.length !== right.length || !timingSafeEqual(given, right)) return null;
  const parsed = Token.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString()));
  if (!parsed.success) return null;
  const { t, i, h, p, x } = parsed.data;
  return { tenant: t, investigation: i, proposalHash: h, person: p, expiresAt: x };
}

function signatureOf(body: string, secret: string): string {
  return createHmac('sha256', secret).update(`decide:${body}`).digest('base64url');
}
