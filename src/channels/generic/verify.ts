/** Standard Webhooks (standardwebhooks.com): who sent it, and when. */
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

export interface SignedHeaders {
  readonly id: string | undefined;
  /** Unix seconds; more than five minutes off is refused, against replays. */
  readonly timestamp: string | undefined;
  /** A list: several secrets may have signed while one is being changed. */
  readonly signature: string | undefined;
}

/** Undefined: genuine, by one of the secrets. Otherwise why not, fit to be shown to the sender. */
export function objection({
  body,
  headers,
  secrets,
}: {
  body: Uint8Array;
  headers: SignedHeaders;
  secrets: readonly string[];
}): string | undefined {
  const { id, timestamp, signature } = headers;
  if (id === undefined || timestamp === undefined || signature === undefined)
    return 'the headers webhook-id, webhook-timestamp and webhook-signature are all needed';
  // The library turns bytes into text first: bytes that are no UTF-8 could not be told from their replacements.
  const text = utf8(body);
  if (text === undefined) return 'the body is not UTF-8';
  const refusals = secrets.map((secret) =>
    refusalBy(secret, text, { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }),
  );
  return refusals.includes(undefined) ? undefined : (refusals[0] ?? 'no generic webhook is configured for this tenant');
}

function refusalBy(secret: string, text: string, headers: Record<string, string>): string | undefined {
  try {
    new Webhook(secret).verify(text, headers, { jsonParse: false });
    return undefined;
  } catch (error) {
    // Anything else is thrown by malformed header values (a signature without its comma), so it is a refusal too.
    return error instanceof WebhookVerificationError ? error.message : 'the signature is malformed';
  }
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
