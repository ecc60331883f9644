/** The record of runs. */
import type { AgentKey, AttachmentId, ConversationId, Slot, Subject, TenantId, Topic } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { LatestOfRun } from '../../domain/next-wake.ts';
import type { Policy } from '../../domain/schemas/policy.ts';
import type { RunSummary } from '../../domain/schemas/runs.ts';
import type { EndReason, Phase, RunStatus } from '../../domain/statuses.ts';
import type { Page } from './page.ts';
import type { TickRecord, TimelineEntry } from './timeline.ts';

/** As late as a wake-up may begin, ms: after that somebody should look whether there are workers. */
const OVERDUE_MS = 60_000;
/** Twice as long as a tick may take by default: whoever was thinking may have died over it. */
const LOST_IN_THOUGHT_MS = 600_000;

/** For how long a run in this phase may have been due, ms, before it counts as late. */
export function lateAfter(phase: Phase | null): number {
  return phase === 'thinking' ? LOST_IN_THOUGHT_MS : OVERDUE_MS;
}

/** A run's row: the summary plus what one run shows. */
export interface RunRecord extends RunSummary {
  readonly config: JsonObject;
  readonly state: JsonObject;
  readonly policy: Policy | null;
  /** What it was asked to follow besides its agent's own topics; absent: nothing. */
  readonly topics?: readonly Topic[];
  /** Why its wake-up cannot begin, as a worker said last; absent: nothing holds it up. */
  readonly heldUp?: string;
}
/** Which runs: all that is named must hold. */
export interface RunCondition {
  readonly tenant: TenantId;
  readonly status?: RunStatus;
  readonly reason?: EndReason;
  readonly agent?: AgentKey;
  readonly version?: number;
  readonly phase?: Phase;
  readonly subject?: Subject;
  readonly subjectPrefix?: string;
  readonly slot?: Slot;
  /** Live, and following it. */
  readonly topic?: Topic;
  /** IN_PROGRESS and due at or before this instant. */
  readonly dueBefore?: string;
  /** IN_PROGRESS, not paused, and a wake-up or a message that waits is due at or after, and before. */
  readonly plannedFrom?: string;
  readonly plannedTo?: string;
  /** IN_PROGRESS, and the latest wake-up failed, or did not. */
  readonly failing?: boolean;
  readonly costAtLeast?: number;
  /** Ended at or after, and before. */
  readonly endedFrom?: string;
  readonly endedTo?: string;
  /** In the conversation's id, the contact's name or address, or the beginning of the run's id. */
  readonly search?: string;
}
/**
 * `newest`: attached last first. `due`: live ones, due first. `trouble`: failing ones, then live ones by due time (the overdue
 * are first), paused ones, and ended ones, the latest first.
 */
export const RUN_SORTS = ['newest', 'due', 'trouble'] as const;
export type RunSort = (typeof RUN_SORTS)[number];

export interface RunFilter extends RunCondition {
  /** `due` with `dueBefore`, else `newest`, when absent. */
  readonly sort?: RunSort;
  readonly limit: number;
  readonly cursor?: string;
}
/** A run in a list: with whom it is about. */
export interface ListedRun extends RunRecord {
  readonly contact: { readonly name: string | null } | null;
  /** US dollars; null: no model was called. */
  readonly costUsd: number | null;
}
/** How many runs there are of each, zeros left out. */
export interface RunCounts {
  readonly total: number;
  readonly failing: number;
  /** Due for longer than {@link lateAfter}, or held up. */
  readonly overdue: number;
  readonly status: Readonly<Partial<Record<RunStatus, number>>>;
  readonly reason: Readonly<Partial<Record<EndReason, number>>>;
  readonly phase: Readonly<Partial<Record<Phase, number>>>;
  readonly agents: readonly { readonly agent: AgentKey; readonly version: number | null; readonly count: number }[];
}
export interface Runs {
  /**
   * First writer wins: attach and prepare both call it. `began`: the act by the row's actor that it is begun by, written with it.
   * @returns whether it was absent.
   */
  insertIfAbsent(run: RunRecord, began?: 'attach' | 'handback'): Promise<boolean>;
  /** What prepare resolved; only while IN_PROGRESS. */
  recordPrepared(change: {
    readonly attachment: AttachmentId;
    readonly agentVersion: number;
    readonly config: JsonObject;
    readonly state: JsonObject;
    readonly policy: Policy;
    readonly nextRunAt: string;
    readonly nextRunWhy: string;
    /** What it follows from now on, until it ends; absent: nothing. */
    readonly topics?: readonly Topic[];
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
  /** This wake-up has begun and takes a while; until it is recorded. Only while IN_PROGRESS, and of a run that is not paused. */
  recordThinking(change: { readonly attachment: AttachmentId; readonly tick: number }): Promise<void>;
  /** Nobody can begin its wake-up, and why; until the next one is recorded. Only while IN_PROGRESS. */
  recordHeldUp(change: { readonly attachment: AttachmentId; readonly why: string }): Promise<void>;
  /** An accepted act: phase, due time. Only while IN_PROGRESS. */
  recordPhase(change: {
    readonly attachment: AttachmentId;
    readonly phase: Phase;
    readonly nextRunAt?: string;
    readonly nextRunWhy?: string;
    readonly actor?: string;
    readonly comment?: string;
  }): Promise<void>;
  /**
   * The first end wins; a later one changes nothing and answers false. Inserts the row if there is none. In the same
   * transaction an answering run lets go of its conversation, which stays, or becomes, a human's where one came in.
   */
  recordEnd(end: { readonly run: RunRecord; readonly unhandled: readonly string[] }): Promise<boolean>;
  /** The latest attachment of this name, or the one named by `id`. */
  get(ref: {
    readonly tenant: TenantId;
    readonly subject: Subject;
    readonly slot: Slot;
    readonly id?: string;
  }): Promise<RunRecord | null>;
  list(filter: RunFilter): Promise<Page<ListedRun>>;
  counts(condition: RunCondition): Promise<RunCounts>;
  /** IN_PROGRESS on this subject: whom an event may concern. */
  liveOn(tenant: TenantId, subject: Subject): Promise<readonly RunRecord[]>;
  /** IN_PROGRESS on other conversations of the person whose conversation this is. */
  liveBesides(tenant: TenantId, conversation: ConversationId): Promise<readonly RunRecord[]>;
  /** IN_PROGRESS, all tenants, oldest-checked first, each twice a minute at most: what the reconciler compares with Temporal. */
  liveUnchecked(limit: number): Promise<readonly RunRecord[]>;
  /** Oldest first. `nextCursor` leads to what is older than the page: the newest page comes first. `limit`: 1,000 by default. */
  timeline(
    attachment: AttachmentId,
    page?: { readonly limit?: number; readonly cursor?: string },
  ): Promise<Page<TimelineEntry>>;
  /** The newest wake-ups and acts, newest first: what explains its due time. */
  latest(attachment: AttachmentId): Promise<LatestOfRun>;
  stats(tenant: TenantId): Promise<{
    readonly byStatus: Readonly<Record<RunStatus, number>>;
    readonly byReason: Readonly<Partial<Record<EndReason, number>>>;
    readonly byAgent: readonly { readonly agent: AgentKey; readonly status: RunStatus; readonly count: number }[];
    /** Due and not begun, or held up: how many, and how late the latest is, in ms. */
    readonly overdue: { readonly count: number; readonly maxMs: number };
    /** Of all runs; null: no model was called. */
    readonly costUsd: number | null;
  }>;
}
