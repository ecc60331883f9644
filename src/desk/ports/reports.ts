/** What is counted for people to look at. */
import type { AgentKey, ConversationId, TenantId } from '../../domain/ids.ts';
import type { EndReason, RunStatus } from '../../domain/statuses.ts';
import type { Owner } from './conversations.ts';
import type { Page } from './page.ts';

export const OUTCOME_GROUPS = ['day', 'agent', 'version', 'status', 'reason'] as const;
export type OutcomeGroup = (typeof OUTCOME_GROUPS)[number];

/** Of runs that ended in a span of time: from, included, to, excluded. */
export interface OutcomeQuery {
  readonly tenant: TenantId;
  readonly from: string;
  readonly to: string;
  readonly agent?: AgentKey;
  readonly version?: number;
}
/** How many ended so. `group`: a day (`2026-11-29`), an agent, `{agent}@{version}`, a status or a reason. */
export interface OutcomeCount {
  readonly group: string;
  readonly status: RunStatus;
  readonly reason: EndReason | null;
  readonly count: number;
  readonly ticks: number;
  /** US dollars; null: no model was called. */
  readonly costUsd: number | null;
}
/** How far the runs that were attached in the span have come, each step counted whatever came after. */
export interface Funnel {
  readonly attached: number;
  /** Woke up at least once. */
  readonly woke: number;
  /** Sent a message. */
  readonly spoke: number;
  /** The customer wrote while it was attached. */
  readonly answered: number;
  /** Ended COMPLETED or EXITED_ON_INBOUND by the customer's reply. */
  readonly succeeded: number;
}
/** Of wake-ups that fell due in the span: start minus due time, in ms. Null: there were none. */
export interface Lag {
  readonly count: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}
/** One hour of the week ahead, in the tenant's zone. What is overdue counts as now. */
export interface CalendarHour {
  readonly at: string;
  readonly agent: AgentKey;
  readonly wakeUps: number;
  /** Messages held back until then. */
  readonly sends: number;
}
export interface AgentCount {
  readonly agent: AgentKey;
  readonly version: number | null;
  readonly status: RunStatus;
  readonly count: number;
}
/** How a channel has been lately. */
export interface ChannelHealth {
  readonly channel: string;
  readonly lastInboundAt: string | null;
  readonly lastOutboundAt: string | null;
  /** Of the last 24 hours. */
  readonly sent: number;
  readonly failed: number;
}
export interface ListedConversation {
  readonly id: ConversationId;
  readonly channel: string | null;
  readonly owner: Owner;
  readonly ownerBy: string | null;
  readonly ownerSince: string;
  readonly openedAt: string;
  readonly closedAt: string | null;
  readonly lastInboundAt: string | null;
  readonly lastOutboundAt: string | null;
  readonly contact: { readonly name: string | null } | null;
}

/** What is read from the desk to be looked at, and decides nothing. */
export interface Reports {
  /** `zone`: whose days. */
  outcomes(
    query: OutcomeQuery & { readonly by: OutcomeGroup; readonly zone: string },
  ): Promise<readonly OutcomeCount[]>;
  funnel(query: OutcomeQuery): Promise<Funnel>;
  lag(query: OutcomeQuery): Promise<Lag>;
  calendar(query: {
    readonly tenant: TenantId;
    readonly until: string;
    readonly zone: string;
  }): Promise<readonly CalendarHour[]>;
  agents(tenant: TenantId): Promise<readonly AgentCount[]>;
  channels(tenant: TenantId): Promise<readonly ChannelHealth[]>;
  /** The newest first. `search`: in its id, the contact's name or address. */
  conversations(query: {
    readonly tenant: TenantId;
    readonly owner?: Owner;
    readonly open?: boolean;
    readonly search?: string;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<ListedConversation>>;
}
