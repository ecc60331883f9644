/** The delivery of one outgoing webhook: what its workflow is given, and what it asks of the world. Plain values. */
import type { TenantId } from '../domain/ids.ts';

/** The workflow's type name: what `start` needs, without the workflow's code. */
export const WEBHOOK_DELIVERY = 'webhookDelivery';

export interface WebhookDeliveryInput {
  readonly v: 1;
  readonly tenant: TenantId;
  readonly delivery: string;
  /** Counts redeliveries: an earlier round's workflow finds nothing left to do. */
  readonly round: number;
}

export interface AttemptInput {
  readonly tenant: TenantId;
  readonly delivery: string;
  readonly round: number;
  /** When the schedule has the next attempt, should this one fail, ms from now; null: this is the last. */
  readonly nextInMs: number | null;
}
export type Attempted =
  | { readonly result: 'over' }
  /** Never sooner than the schedule says; later where the receiver asked for it. */
  | { readonly result: 'again'; readonly inMs: number };

export interface WebhookActivities {
  attemptWebhook(input: AttemptInput): Promise<Attempted>;
}
