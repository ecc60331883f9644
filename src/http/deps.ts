/** What the API needs, all of it handed in: entries wire it, tests fake it. */
import type { Agent } from '../agents/define-agent.ts';
import type { ParsedWebhook } from '../channels/inbound.ts';
import type { RunClient } from '../client.ts';
import type { DeliverableEvent, Desk, IntakeItem } from '../desk/desk.ts';
import type { JsonObject } from '../domain/json.ts';
import type { TenantId } from '../domain/ids.ts';
import type { ApiKey } from '../config.ts';
import type { Changes } from './changes.ts';
import type { Problem } from './problems.ts';

export interface HttpDeps {
  readonly desk: Desk;
  readonly runs: RunClient;
  readonly agents: { get(key: string): Agent | undefined; list(): readonly Agent[] };
  readonly intake: IntakePort;
  readonly webhooks: Webhooks;
  readonly changes: Changes;
  /** Empty: this machine only. */
  readonly keys: readonly ApiKey[];
  readonly temporal: {
    /** @throws when Temporal does not answer. */
    ping(): Promise<void>;
    /** Names of search attributes that the namespace lacks. @throws when Temporal does not answer. */
    missingSearchAttributes(): Promise<readonly string[]>;
  };
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
  readonly log: Log;
  /**
   * Key of the channel that a conversation lives in when the API speaks of it first: the tenant's simulated channel, if
   * it has one; else null, for the CRM that posts the event sends for itself.
   */
  readonly channelFor: (tenant: TenantId) => string | null;
}

/** How the API hands facts on: stored first, then delivered to the runs. Implemented in `intake/deliver.ts`. */
export interface IntakePort {
  /**
   * Stores each in turn, in order, and delivers what is new; returns once all are stored, which is when the caller may
   * be told 2xx. A fact that cannot be stored for its own fault is `rejected`; the others go on. @throws when the desk does
   */
  accept(items: readonly IntakeItem[]): Promise<readonly AcceptedItem[]>;
  /** Once more to the runs that it concerns; those that had it ignore it. */
  redeliver(event: DeliverableEvent): Promise<void>;
}
export type AcceptedItem =
  | { readonly result: 'accepted' }
  | { readonly result: 'duplicate' }
  | { readonly result: 'rejected'; readonly path: string; readonly message: string };

/** One item of the answer to POST /events. */
export interface EventAnswer {
  /** Null when the item names none. */
  readonly id: string | null;
  readonly result: 'accepted' | 'duplicate' | 'rejected';
  readonly problem?: Problem;
}

/** The channels' own words stay behind this: verify over the raw bytes, then parse. */
export interface Webhooks {
  readonly whatsapp: {
    /** The challenge to answer, or why not. */
    handshake(
      tenant: TenantId,
      query: Readonly<Record<string, string>>,
    ): { readonly challenge: string } | WebhookRefusal;
    receive(tenant: TenantId, body: Uint8Array, headers: Headers): ParsedWebhook | WebhookRefusal;
  };
  readonly generic: {
    receive(tenant: TenantId, body: Uint8Array, headers: Headers): ParsedWebhook | WebhookRefusal;
  };
}
export interface WebhookRefusal {
  readonly refused: 'not_configured' | 'bad_signature' | 'wrong_token';
}

export interface Log {
  info(fields: JsonObject, message: string): void;
  warn(fields: JsonObject, message: string): void;
  error(fields: JsonObject, message: string): void;
}
