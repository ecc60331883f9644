/** Standard Webhooks (standardwebhooks.com): who sent it, and when. */
import { Webhook } from 'standardwebhooks';

export interface SignedHeaders {
  readonly id: string | undefined;
  /** Unix seconds; more than five minutes off is refused, against replays. */
  readonly timestamp: string | undefined;
  /** A list: several secrets may have signed while one is being changed. */
  readonly signature: string | undefined;
}

/** The secret that signed it; undefined: none did, or not now. */
export function signedBy({
  body,
  headers,
  secrets,
}: {
  body: Uint8Array;
  headers: SignedHeaders;
  secrets: readonly string[];
}): string | undefined {
  const { id, timestamp, signature } = headers;
  if (id === undefined || timestamp === undefined || signature === undefined) return undefined;
  // The library turns bytes into text first: bytes that are no UTF-8 could not be told from their replacements.
  const text = utf8(body);
  if (text === undefined) return undefined;
  const signed = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  return secrets.filter((secret) => isGenuine(secret, text, signed))[0];
}

function isGenuine(secret: string, text: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(text, headers, { jsonParse: false });
    return true;
  } catch {
    // Also what malformed header values make it throw, such as a signature without its comma.
    return false;
  }
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
