/**
 * What the server answers, as the console reads it: types of the domain and the desk where they exist. A field that an
 * older server may not send yet is optional, and what shows it does without.
 */
import type { OneRun, Run, RunSummary } from '../../domain/schemas/runs.ts';
import type { WakeStep } from '../../domain/schemas/next-wake.ts';
import type { Json } from '../../domain/json.ts';
import type { Role } from '../../domain/roles.ts';
import type {
  AuditEntry,
  EventRecord,
  MediaRef,
  MessageRecord,
  Page,
  Switch as StoredSwitch,
  TimelineEntry,
  WebhookAttempt,
  WebhookDelivery,
} from '../../desk/desk.ts';

export type {
  AuditEntry,
  EventRecord,
  MediaRef,
  MessageRecord,
  Page,
  Role,
  TimelineEntry,
  WakeStep,
  WebhookAttempt,
  WebhookDelivery,
};

/** An act answers it without the steps to its next wake-up. */
type OneOrActed = Run & Partial<Pick<OneRun, 'nextRunSteps'>>;
export type { OneOrActed as Run };

/** Who asks, as what, and for which tenants. */
export interface Session {
  /** Of the key. */
  readonly key: string;
  /** Null where nobody needs to sign in. */
  readonly person: string | null;
  readonly role: Role;
  readonly tenants: readonly Tenant[];
  /** False: this machine is served without keys, and there is nothing to sign out of. */
  readonly signInNeeded: boolean;
  /** The namespace's page of Temporal's Web UI; absent or null: nobody knows where it is. */
  readonly temporalWeb?: string | null;
  /** Of an embedded panel: its conversation, and what it may do there. */
  readonly panel?: {
    readonly conversation: string;
    readonly acts: readonly string[];
    readonly expiresAt: string;
  } | null;
}
export interface Tenant {
  readonly id: string;
  readonly name: string;
  /** IANA. */
  readonly timeZone: string;
}

/** A line of the list. */
export interface RunRow extends RunSummary {
  readonly contact?: { readonly name: string | null } | null;
  /** US dollars; null: no model was called. */
  readonly costUsd?: number | null;
  /** Its latest wake-up failed; or it is due for more than a minute and has not begun. */
  readonly trouble?: 'failing' | 'overdue' | null;
}

/** How many runs there are of each kind, zeros left out. */
export interface RunCounts {
  readonly total: number;
  readonly failing: number;
  readonly overdue: number;
  readonly status: Readonly<Partial<Record<Run['status'], number>>>;
  readonly reason: Readonly<Partial<Record<NonNullable<Run['reason']>, number>>>;
  readonly phase: Readonly<Partial<Record<NonNullable<Run['phase']>, number>>>;
  readonly agents: readonly { readonly agent: string; readonly version: number | null; readonly count: number }[];
}

export interface Stats {
  readonly byStatus: Readonly<Partial<Record<Run['status'], number>>>;
  readonly byReason: Readonly<Record<string, number>>;
  readonly byAgent: readonly { readonly agent: string; readonly status: Run['status']; readonly count: number }[];
  readonly lag: { readonly overdue: number; readonly maxMs: number };
}

export type Switch = Omit<StoredSwitch, 'tenant'>;

export interface Channel {
  readonly key: string;
  readonly kind: string;
  /** False: it only tells; agents cannot write through it. */
  readonly sends?: boolean;
  readonly delivered: readonly { readonly month: string; readonly service: number; readonly template: number }[];
  readonly lastInboundAt: string | null;
  readonly lastOutboundAt: string | null;
  /** Of the last 24 hours. */
  readonly lately: { readonly sent: number; readonly failed: number };
  /** The provider refuses all of ours, with this code. An older server does not say. */
  readonly shut?: { readonly code: string; readonly since: string; readonly until: string } | null;
}

export interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly types: readonly string[] | null;
  readonly enabled: boolean;
  readonly off: { readonly since: string; readonly by: string; readonly reason: string | null } | null;
}

export interface OneDelivery extends WebhookDelivery {
  readonly log: readonly WebhookAttempt[];
  readonly body: unknown;
}

export type ActName = 'takeover' | 'detach' | 'pause' | 'resume' | 'snooze' | 'wake' | 'handback';
export interface ActBody {
  readonly id?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly until?: string;
  readonly for?: string;
}
export type ActedRun = Run & { readonly pending?: true };

/** One act on many runs, and how far it is. */
export interface Bulk {
  readonly id: string;
  readonly state: 'running' | 'done' | 'cancelled';
  readonly total: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
}
export interface ReceiptLine {
  readonly subject: string;
  readonly slot: string;
  readonly state: 'pending' | 'done' | 'skipped' | 'failed';
  readonly reason: string | null;
}

/** Whose a conversation is, and with whom. */
export interface Conversation {
  readonly id: string;
  readonly channel: string | null;
  readonly owner: 'none' | 'agent' | 'human';
  readonly contact: {
    readonly name: string | null;
    readonly timeZone: string | null;
    readonly optedOutAt: string | null;
    readonly marketingStoppedAt: string | null;
  } | null;
  /** Until when free text may be sent; null: the channel has no such window, or nobody has written yet. */
  readonly window: { readonly open: boolean; readonly until: string } | null;
}

/** One agent of this server, with the tenant's own bounds. */
export interface AgentView {
  readonly key: string;
  readonly version: number;
  readonly title: string;
  readonly attachesTo: 'conversation' | 'business';
  readonly wakeOn: readonly string[];
  readonly policy: Json;
  readonly configSchema: Json;
  readonly runs: readonly { readonly version: number | null; readonly status: Run['status']; readonly count: number }[];
}

/** What ended, of one day, agent, version or of all. Rates are shares of what ended, 0 to 1. */
export interface EndedGroup {
  readonly group: string;
  readonly ended: number;
  readonly status: Readonly<Partial<Record<Run['status'], number>>>;
  readonly reason: Readonly<Partial<Record<NonNullable<Run['reason']>, number>>>;
  readonly completion: number | null;
  readonly takeover: number | null;
  readonly failure: number | null;
  readonly ticks: number;
  readonly costUsd: number | null;
}
export interface Outcomes {
  readonly from: string;
  readonly to: string;
  readonly zone: string;
  readonly total: EndedGroup;
  readonly items: readonly EndedGroup[];
  readonly funnel: Readonly<Record<'attached' | 'woke' | 'spoke' | 'answered' | 'succeeded', number>>;
  readonly lag: { readonly count: number; readonly p50Ms: number | null; readonly p99Ms: number | null };
}

export interface CalendarHour {
  readonly at: string;
  readonly wakeUps: number;
  readonly sends: number;
  readonly pileUp: boolean;
}
export interface Calendar {
  readonly zone: string;
  readonly from: string;
  readonly to: string;
  readonly pileUpFrom: number;
  readonly items: readonly CalendarHour[];
}
