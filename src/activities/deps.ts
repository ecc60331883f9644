/** What the activities are given at the door. */
import type { Agent } from '../agents/define-agent.ts';
import type { Channel } from '../channels/channel.ts';
import type { Desk } from '../desk/desk.ts';
import type { TenantId, WorkflowId } from '../domain/ids.ts';
import type { PolicyInput } from '../domain/schemas/policy.ts';
import type { Erps } from '../erp/erp.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { HolidayCalendar } from './holiday-calendar.ts';
import type { InvestigationInput } from '../workflows/investigation-input.ts';
import type { Occurred } from '../workflows/investigation-messages.ts';
import type { SendPermit, SendPermitRequest } from '../workflows/messages.ts';
import type { Log } from '../telemetry/logger.ts';

export interface ActivityDeps {
  readonly desk: Desk;
  readonly agents: { get(key: string): Agent | undefined };
  readonly channels: { get(tenant: TenantId, key: string): Channel | undefined };
  readonly erps: Erps;
  /** Undefined: the configuration does not know the tenant. */
  tenant(id: TenantId): TenantSettings | undefined;
  /** Loads its data when a country is asked for. */
  readonly holidays: Pick<HolidayCalendar, 'between'>;
  /** Asks the run itself, by query. @throws when it does not answer in time. */
  askPermit(workflowId: WorkflowId, request: SendPermitRequest): Promise<SendPermit>;
  /** Starts the investigation of that name, or tells the live one: once for each effect key, however often it is called. */
  occurred(of: Occurrence): Promise<void>;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'tickLag' | 'tickDone' | 'effectDone' | 'runEnded'>;
  /** ms since 1970; the wall clock, but for tests that skip time. */
  readonly clock: () => number;
}

/** A trigger was seen. */
export interface Occurrence {
  readonly workflowId: WorkflowId;
  readonly input: InvestigationInput;
  readonly occurred: Occurred;
}

export interface TenantSettings {
  readonly id: TenantId;
  readonly name: string;
  readonly timeZone: string;
  /** ISO 3166: whose holidays are kept where nobody says otherwise. */
  readonly country?: string | undefined;
  /** Policy overrides by agent key. */
  readonly policies: Readonly<Record<string, PolicyInput | undefined>>;
}
