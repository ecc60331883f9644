/** Outgoing webhooks. */
import type { Subject, TenantId } from '../../domain/ids.ts';
import type { WebhookState, WebhookType } from '../../domain/webhooks.ts';
import type { Page } from './page.ts';

/** Ids of the tenant's endpoints that want to be told of this type: what the desk is opened with. */
export type Subscribers = (tenant: TenantId, type: WebhookType) => readonly string[];

/** One fact on its way to one endpoint. Written in the transaction that stores the fact. */
export interface WebhookDelivery {
  /** Also the header `webhook-id`. */
  readonly id: string;
  readonly tenant: TenantId;
  readonly endpoint: string;
  readonly type: WebhookType;
  readonly subject: Subject;
  readonly state: WebhookState;
  readonly attempts: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly createdAt: string;
  readonly nextAttemptAt: string | null;
  readonly finishedAt: string | null;
}
export interface WebhookAttempt {
  readonly number: number;
  readonly at: string;
  readonly durationMs: number;
  /** Null: no answer. */
  readonly status: number | null;
  readonly error: string | null;
}
export interface EndpointOff {
  readonly endpoint: string;
  readonly since: string;
  /** `key name/by`, or `endpoint` where it said itself that it is gone. */
  readonly by: string;
  readonly reason: string | null;
}
/** A delivery as it is tried: a redelivery is the next round. */
export interface DeliveryRound {
  readonly tenant: TenantId;
  readonly id: string;
  readonly round: number;
}

export interface Outbox {
  get(
    tenant: TenantId,
    id: string,
  ): Promise<
    | (WebhookDelivery & { readonly round: number; readonly body: string; readonly log: readonly WebhookAttempt[] })
    | null
  >;
  /** Newest first. */
  list(filter: {
    readonly tenant: TenantId;
    readonly status?: WebhookState;
    readonly endpoint?: string;
    /** Of the id. */
    readonly beginning?: string;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<WebhookDelivery>>;
  /**
   * What no workflow brings to its endpoint yet, oldest first, taken for this process for ten seconds. `isNew` false:
   * its workflow was started once and has not been heard of since its next attempt was due.
   */
  takeUnstarted(limit: number): Promise<readonly (DeliveryRound & { readonly isNew: boolean })[]>;
  markStarted(of: DeliveryRound): Promise<void>;
  /** Writes the attempt down and what follows from it; nothing at all when the round is over. `held`: its endpoint says that it is gone, and is switched off. */
  recordAttempt(
    of: DeliveryRound & {
      readonly attempt: Omit<WebhookAttempt, 'number'>;
      readonly then:
        | { readonly state: 'delivered' | 'failed' | 'held' }
        | { readonly state: 'pending'; readonly nextAttemptAt: string };
    },
  ): Promise<void>;
  /** Without an attempt: the endpoint is off, or no longer configured. */
  settle(of: DeliveryRound & { readonly state: 'held' | 'failed'; readonly reason: string }): Promise<void>;
  /** Once more from the beginning of the schedule, whatever became of it; null: no such delivery. */
  redeliver(tenant: TenantId, id: string): Promise<WebhookDelivery | null>;
  endpointsOff(tenant: TenantId): Promise<readonly EndpointOff[]>;
  switchOff(of: {
    readonly tenant: TenantId;
    readonly endpoint: string;
    readonly by: string;
    readonly reason: string | null;
  }): Promise<void>;
  /** Answers how many held deliveries are sent now; none unless asked for. */
  switchOn(of: {
    readonly tenant: TenantId;
    readonly endpoint: string;
    readonly redeliverHeld: boolean;
  }): Promise<number>;
}
