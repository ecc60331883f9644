/** Is it this Chatwoot that speaks? Since 4.11 account webhooks, since 4.13 bots and API inboxes are signed. */
import { createHmac, timingSafeEqual } from 'node:crypto';

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/**
 * `X-Chatwoot-Signature` over `{X-Chatwoot-Timestamp}.{raw body}`. The age is not judged: what is told twice is stored
 * once, by its id, so a replay gains nothing and a server whose clock is off loses nothing.
 * @param secrets of the accounts' webhooks and bots: each is tried, whichever fits, so that the time it takes tells nothing.
 * @returns the one that signed.
 */
export function signedBy({
  body,
  signature,
  timestamp,
  secrets,
}: {
  readonly body: Uint8Array;
  readonly signature: string | undefined;
  readonly timestamp: string | undefined;
  readonly secrets: readonly string[];
}): string | undefined {
  const hex = SIGNATURE.exec(signature ?? '')?.[1];
  if (hex === undefined || timestamp === undefined) return undefined;
  const given = Buffer.from(hex, 'hex');
  const fitting = secrets.filter((secret) => {
    const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
    return timingSafeEqual(expected, given);
  });
  return fitting[0];
}
