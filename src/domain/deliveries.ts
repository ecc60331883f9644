/** How far a message has come, and the only way it may move. */
import type { DeliveryStatus, MessageStatus } from './schemas/events.ts';

const RANK = { sent: 1, delivered: 2, read: 3, played: 4 } as const;

/**
 * The status a message has once `reported` has come in. Reports arrive late and out of order (WhatsApp skips `delivered`
 * when a message is read at once), so a status only moves forward. `failed` holds unless a delivery is reported later,
 * and never undoes a delivery.
 */
export function advanceStatus(current: DeliveryStatus | null, reported: DeliveryStatus): DeliveryStatus {
  if (current === null) return reported;
  if (reported === 'failed') return current === 'sent' ? 'failed' : current;
  if (current === 'failed') return RANK[reported] >= RANK.delivered ? reported : 'failed';
  return RANK[reported] > RANK[current] ? reported : current;
}

/** Why a message is not sent again that had failed: it was reported as delivered after all. No failure. */
export const ARRIVED = 'arrived';

/** Was it a trouble of the provider's own that passes? Then the message is none the worse for being sent again. */
export function isPassing(error: MessageStatus['error']): boolean {
  return error?.failure === 'outage' || error?.failure === 'rate_limited';
}

/** Why a message that the provider had taken failed, in the form in which a refused send says it. */
export function undeliveredReason(error: MessageStatus['error']): string {
  return `${error?.failure ?? 'undelivered'}: ${error?.code ?? 'no reason given'}`;
}
