/** What the API needs, all of it handed in: entries wire it, tests fake it. */
import type { Agent } from '../agents/define-agent.ts';
import type { Channel } from '../channels/channel.ts';
import type { Webhooks } from '../channels/webhooks.ts';
import type { RunClient } from '../client.ts';
import type { InvestigationClient } from '../client/investigation-client.ts';
import type { Desk } from '../desk/desk.ts';
import type { FanOuts } from '../intake/fan-outs.ts';
import type { HandBacks } from '../intake/hand-back.ts';
import type { Intake } from '../intake/intake.ts';
import type { AgentKey, RunRef, TenantId } from '../domain/ids.ts';
import type { PolicyInput } from '../domain/schemas/policy.ts';
import type { Act, Run } from '../domain/schemas/runs.ts';
import type { Log } from '../telemetry/logger.ts';
import type { ApiKey } from '../config.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { Problem } from './problems.ts';

export interface HttpDeps {
  /** Of this server. */
  readonly version: string;
  readonly desk: Desk;
  readonly runs: RunClient;
  readonly investigations: InvestigationClient;
  /** Signs the links with which people decide; null: there are none. */
  readonly linkSecret: string | null;
  readonly agents: { get(key: string): Agent | undefined; list(): readonly Agent[] };
  readonly intake: Pick<Intake, 'accept' | 'redeliver'>;
  readonly webhooks: Webhooks;
  /** Where this tenant is told what happened; empty for one that the configuration does not know. */
  webhookEndpoints(tenant: TenantId): readonly WebhookEndpoint[];
  readonly changes: ChangeFeed;
  readonly tenants: Tenants;
  readonly console: ConsolePlace;
  /** Origin of the tenant's CRM, which may frame a conversation's panel; null: the configuration names none. */
  readonly embedOrigin: (tenant: TenantId) => string | null;
  readonly handBacks: Pick<HandBacks, 'handBack'>;
  readonly fanOuts: Pick<FanOuts, 'act'>;
  /** A tenant's channels, as the configuration names them; `sends` false: it only tells. */
  readonly channelsOf: (
    tenant: TenantId,
  ) => readonly (Pick<Channel, 'key' | 'kind' | 'openMedia'> & { readonly sends?: false })[];
  /** A tenant's own bounds for an agent, as the configuration names them. */
  readonly policyOf: (tenant: TenantId, agent: AgentKey) => PolicyInput;
  /** Empty: this machine only. */
  readonly keys: readonly ApiKey[];
  readonly temporal: {
    /** @throws when Temporal does not answer. */
    ping(): Promise<void>;
    /** Names of search attributes that the namespace lacks. @throws when Temporal does not answer. */
    missingSearchAttributes(): Promise<readonly string[]>;
  };
  /** The namespace's page of Temporal's Web UI, for people; null: nobody knows where it is. */
  readonly temporalWeb: string | null;
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
  readonly log: Log;
  /**
   * Key of the channel that a conversation lives in when the API speaks of it first: the tenant's simulated channel or its
   * CRM's own, if it has one; else null, for the CRM that posts the event sends for itself.
   */
  readonly channelFor: (tenant: TenantId) => string | null;
}

/** Which tenants the configuration names. */
export interface Tenants {
  has(id: TenantId): boolean;
  hasErp(id: TenantId): boolean;
  /** May this person decide on investigations by a signed link, as the configuration is now? */
  isApprover(id: TenantId, person: string): boolean;
  list(): readonly Tenant[];
}
export interface Tenant {
  readonly id: TenantId;
  readonly name: string;
  readonly timeZone: string;
}

/** Where the console's built files are, if they are. */
export interface ConsolePlace {
  readonly folder: string;
}

/** An endpoint of outgoing webhooks; its secrets are nobody's business here. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly types?: readonly string[] | undefined;
}

/** One item of the answer to POST /events. */
export interface EventAnswer {
  /** Null when the item names none. */
  readonly id: string | null;
  readonly result: 'accepted' | 'duplicate' | 'rejected';
  readonly problem?: Problem;
}

/** An act on the run that `ref` names: what its body says, and who asks. */
export interface AskedAct<Body extends Act = Act> {
  readonly ref: RunRef;
  readonly act: Body;
  readonly actor: string;
}

export interface ActAnswer {
  readonly run: Run;
  /** Accepted for good; the run has not said so yet. */
  readonly pending: boolean;
}
