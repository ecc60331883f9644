/** Signs what we send, by Standard Webhooks (standardwebhooks.com). */
import { Webhook } from 'standardwebhooks';

/**
 * The three headers. `id` names what is sent and stays the same when it is sent again; `at` is that of the attempt: a
 * receiver refuses what is more than five minutes old. Two secrets while one is being changed: either one fits.
 */
export function signedHeaders({
  id,
  at,
  body,
  secrets,
}: {
  readonly id: string;
  readonly at: Date;
  readonly body: string;
  readonly secrets: readonly string[];
}): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}
