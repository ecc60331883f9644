/** What bringing facts to runs needs, handed in at the door. */
import type { Client } from '@temporalio/client';
import type { Agent } from '../agents/define-agent.ts';
import type { Desk } from '../desk/desk.ts';
import type { Subject, TenantId } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Log } from '../telemetry/logger.ts';

export interface IntakeDeps {
  readonly desk: Desk;
  readonly client: Client;
  readonly agents: { get(key: string): Agent | undefined; list(): readonly Agent[] };
  /** The tenant's rules; empty for a tenant the configuration does not know. */
  autoAttach(tenant: TenantId): readonly AutoAttachRule[];
  /** Given back in the inbox: the agent that was there before the human. Absent where nothing is handed back. */
  readonly letGo?: (request: LettingGo) => Promise<void>;
  readonly metrics: Pick<Metrics, 'eventTaken'>;
  readonly log: Log;
}

/** Who gave the conversation back in its inbox, and when. */
export interface LettingGo {
  readonly tenant: TenantId;
  readonly subject: Subject;
  readonly by: string;
  readonly at: string;
}

/** An event of this type attaches this agent, where nobody holds the conversation. */
export interface AutoAttachRule {
  readonly on: string;
  readonly agent: string;
  readonly config?: JsonObject | undefined;
}
