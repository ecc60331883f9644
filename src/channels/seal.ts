/**
 * What is noted of the secret that signed a body which could not be read: by it the same secret is known again when the body
 * is read once more, and a secret that is random and long cannot be found.
 */
import { createHmac } from 'node:crypto';

export type WebhookKind = 'whatsapp' | 'chatwoot' | 'generic';

/** `whatsapp:` and 128 bits, keyed with the secret. */
export function sealOf(kind: WebhookKind, secret: string): string {
  return `${kind}:${createHmac('sha256', secret).update(`attache/${kind}`).digest('hex').slice(0, 32)}`;
}
