import type { AgentKey, AttachmentId, ConversationId, Slot, Subject, TenantId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Policy } from '../../domain/schemas/policy.ts';
import type { RunSummary } from '../../domain/schemas/runs.ts';
import type { EndReason, Phase, RunStatus } from '../../domain/statuses.ts';
import type { Page } from './page.ts';
import type { TickRecord, TimelineEntry } from './timeline.ts';

/** A run's row: the summary plus what one run shows. */
export interface RunRecord extends RunSummary {
  readonly config: JsonObject;
  readonly state: JsonObject;
  readonly policy: Policy | null;
}
export interface RunFilter {
  readonly tenant: TenantId;
  readonly status?: RunStatus;
  readonly agent?: AgentKey;
  readonly subject?: Subject;
  /** IN_PROGRESS and due at or before this instant. */
  readonly dueBefore?: string;
  readonly limit: number;
  readonly cursor?: string;
}
export interface Runs {
  /** First writer wins: attach and prepare both call it. */
  insertIfAbsent(run: RunRecord): Promise<void>;
  /** What prepare resolved; only while IN_PROGRESS. */
  recordPrepared(change: {
    readonly attachment: AttachmentId;
    readonly agentVersion: number;
    readonly config: JsonObject;
    readonly state: JsonObject;
    readonly policy: Policy;
    readonly nextRunAt: string;
    readonly nextRunWhy: string;
  }): Promise<void>;
  /** Tick row, and the run's own row when this tick is newer than what it holds and it is still IN_PROGRESS. A repeat changes nothing. */
  recordTick(change: {
    readonly tick: TickRecord;
    readonly run: {
      readonly state?: JsonObject;
      readonly nextRunAt?: string;
      readonly nextRunWhy?: string;
      readonly failures: number;
    };
  }): Promise<void>;
  /** An accepted act: phase, due time. Only while IN_PROGRESS. */
  recordPhase(change: {
    readonly attachment: AttachmentId;
    readonly phase: Phase;
    readonly nextRunAt?: string;
    readonly nextRunWhy?: string;
    readonly actor?: string;
    readonly comment?: string;
  }): Promise<void>;
  /** The first end wins; a later one changes nothing and answers false. Inserts the row if there is none. */
  recordEnd(end: { readonly run: RunRecord; readonly unhandled: readonly string[] }): Promise<boolean>;
  /** The latest attachment of this name, or the one named by `id`. */
  get(ref: {
    readonly tenant: TenantId;
    readonly subject: Subject;
    readonly slot: Slot;
    readonly id?: string;
  }): Promise<RunRecord | null>;
  list(filter: RunFilter): Promise<Page<RunRecord>>;
  /** IN_PROGRESS on this subject: whom an event may concern. */
  liveOn(tenant: TenantId, subject: Subject): Promise<readonly RunRecord[]>;
  /** IN_PROGRESS on other conversations of the person whose conversation this is. */
  liveBesides(tenant: TenantId, conversation: ConversationId): Promise<readonly RunRecord[]>;
  /** IN_PROGRESS, all tenants, oldest-checked first: what the reconciler compares with Temporal. */
  liveUnchecked(limit: number): Promise<readonly RunRecord[]>;
  timeline(attachment: AttachmentId): Promise<readonly TimelineEntry[]>;
  stats(tenant: TenantId): Promise<{
    readonly byStatus: Readonly<Record<RunStatus, number>>;
    readonly byReason: Readonly<Partial<Record<EndReason, number>>>;
    readonly byAgent: readonly { readonly agent: AgentKey; readonly status: RunStatus; readonly count: number }[];
    /** Due and not begun: how many, and how late the latest is, in ms. */
    readonly overdue: { readonly count: number; readonly maxMs: number };
  }>;
}
