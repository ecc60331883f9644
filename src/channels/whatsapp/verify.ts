/** Is it Meta who speaks? Signature of every POST, and the handshake by which a webhook address is confirmed. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/**
 * Checks `X-Hub-Signature-256` against the bytes as they came: Meta escapes what JSON need not escape, so a body that
 * was parsed and written again has another hash. Answers the secret that signed it, undefined when none did;
 * every secret is tried, each in constant time.
 */
export function signedBy({
  body,
  signature,
  appSecrets,
}: {
  body: Uint8Array;
  signature: string | undefined;
  appSecrets: readonly string[];
}): string | undefined {
  const hex = SIGNATURE.exec(signature ?? '')?.[1];
  if (hex === undefined) return undefined;
  const given = Buffer.from(hex, 'hex');
  return appSecrets.filter((secret) => timingSafeEqual(createHmac('sha256', secret).update(body).digest(), given))[0];
}

/** Does it ask what Meta asks? Anybody may open the address in a browser. */
export function isHandshake(query: { readonly [name: string]: string | undefined }): boolean {
  return ['hub.mode', 'hub.verify_token', 'hub.challenge'].every((name) => (query[name] ?? '') !== '');
}

/** The challenge to answer with as plain text and 200, or undefined: answer 403. `query` is the GET's. */
export function handshakeChallenge(
  query: { readonly [name: string]: string | undefined },
  verifyTokens: readonly string[],
): string | undefined {
  if (query['hub.mode'] !== 'subscribe') return undefined;
  const given = query['hub.verify_token'];
  const known = given !== undefined && verifyTokens.filter((token) => sameText(token, given)).length > 0;
  return known ? query['hub.challenge'] : undefined;
}

/** Compares digests, so that neither length nor content shows in the time taken. */
function sameText(one: string, other: string): boolean {
  return timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest());
}
