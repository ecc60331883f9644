/** Outgoing webhooks: what may be told, and when an answer that does not come is asked for again. Plain values: the workflow bundle imports this file. */

export const WEBHOOK_TYPES = [
  'run.attached',
  'run.ended',
  'run.tookOver',
  'effect.failed',
  'message.unreachable',
  'investigation.proposed',
  'investigation.reminder',
  'investigation.escalated',
  'investigation.decided',
  'investigation.asked',
  'investigation.executed',
  'investigation.failed',
  'investigation.dismissed',
  'investigation.rejected',
  'investigation.expired',
] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

/**
 * `pending` on its way, or waiting for its next attempt; `delivered`; `failed` for good; `held` because the endpoint is
 * switched off: an operator may send it once it is on again.
 */
export const WEBHOOK_STATES = ['pending', 'delivered', 'failed', 'held'] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** When the attempts are made, counted from the first: the schedule that Standard Webhooks suggests, one day long. */
export const ATTEMPT_OFFSETS_MS: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Two attempts are never nearer than this, also when the schedule is behind (a Retry-After, a worker that was away). */
const SHORTEST_PAUSE_MS = 5 * SECOND;

/**
 * How long to wait after attempt `attempt` (from 1) should it fail, in ms; null: it was the last.
 * @param elapsedMs since the first attempt.
 */
export function pauseAfter(attempt: number, elapsedMs: number): number | null {
  const offset = ATTEMPT_OFFSETS_MS[attempt];
  return offset === undefined ? null : Math.max(offset - elapsedMs, SHORTEST_PAUSE_MS);
}
