import type {
  BulkFilter,
  BulkTask,
  FanOutCounts,
  FanOutState,
  FanOutTask,
  RecipientState,
} from '../../domain/fan-out.ts';
import type { AttachmentId, Slot, Subject, TenantId, Topic, WorkflowId } from '../../domain/ids.ts';
import type { BulkAction } from '../../domain/fan-out.ts';
import type { Phase } from '../../domain/statuses.ts';
import type { Page } from './page.ts';
import type { RunRecord } from './runs.ts';

/** A fan-out by name. */
export interface FanOutRef {
  readonly tenant: TenantId;
  readonly id: string;
}
export interface FanOut<Task extends FanOutTask = FanOutTask> extends FanOutRef, FanOutCounts {
  readonly task: Task;
  readonly state: FanOutState;
  readonly createdAt: string;
  /** When Temporal had its workflow. */
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}
export interface Recipient {
  readonly attachment: AttachmentId;
  readonly subject: Subject;
  readonly slot: Slot;
  readonly workflowId: WorkflowId;
  /** Tries that found nobody to answer. */
  readonly attempts: number;
}
export interface ReceiptLine extends Pick<Recipient, 'attachment' | 'subject' | 'slot'> {
  readonly state: RecipientState;
  /** Why it was skipped or failed. */
  readonly reason: string | null;
  /** When that was decided; null while it is pending. */
  readonly at: string | null;
}
/** What became of one recipient. */
export type Settled = { readonly recipient: Recipient } & (
  | { readonly state: 'done'; readonly accepted?: AcceptedAct }
  | { readonly state: 'skipped' | 'failed'; readonly reason: string }
  /** Nobody answered: it stays pending, and the try is counted. */
  | { readonly state: 'pending' }
);
/** An act that a run has accepted, or, a detach, that the desk accepts for it: recorded as if somebody had asked that run alone. */
export interface AcceptedAct {
  readonly act: BulkAction;
  readonly actor: string;
  readonly comment: string | null;
  readonly at: string;
  /** What the run answered; absent for a detach. */
  readonly run?: { readonly phase: Phase; readonly nextRunAt: string | null; readonly nextRunWhy: string | null };
}

export interface FanOuts {
  /** The first of a key wins: a repeat gets what the first made, and counts nobody again. One for nobody is `done` at once. */
  begin(order: {
    readonly tenant: TenantId;
    readonly key: string;
    readonly task: FanOutTask;
  }): Promise<{ readonly fanOut: FanOut; readonly isNew: boolean }>;
  /** Who would be acted on, without anything being done. */
  preview(query: { readonly tenant: TenantId; readonly filter: BulkFilter; readonly sample: number }): Promise<{
    readonly total: number;
    readonly sample: readonly RunRecord[];
  }>;
  get(ref: FanOutRef): Promise<FanOut | null>;
  /** The latest that brought this event to those who follow its topic. */
  ofEvent(tenant: TenantId, event: string): Promise<FanOut | null>;
  /** Bulk acts, newest first. */
  list(filter: {
    readonly tenant: TenantId;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<FanOut<BulkTask>>>;
  /** What happened to each run, in no order that means anything. */
  receipt(
    query: FanOutRef & { readonly state?: RecipientState; readonly limit: number; readonly cursor?: string },
  ): Promise<Page<ReceiptLine>>;
  /** Topics that live runs follow, by name. */
  topics(tenant: TenantId): Promise<readonly { readonly topic: Topic; readonly followers: number }[]>;

  /** Those that are not over and that no workflow works on: older than `olderThanMs` and not started, or not heard of for a long time. */
  unstarted(query: { readonly olderThanMs: number; readonly limit: number }): Promise<readonly FanOutRef[]>;
  markStarted(ref: FanOutRef): Promise<void>;
  /**
   * Whose turn it is: those taken before and not settled, else the next that the task is for, written down as pending
   * before anything is done to them. Nobody: it is over. Null: there is none such.
   */
  take(query: FanOutRef & { readonly limit: number }): Promise<{
    readonly fanOut: FanOut;
    readonly recipients: readonly Recipient[];
  } | null>;
  /** Each recipient once, with the delivery or the act that follows from it; what is settled already stays as it is. */
  settle(change: FanOutRef & { readonly results: readonly Settled[] }): Promise<void>;
  /** Nobody is taken any more; it is over once those are settled that were. Null: there is none such. */
  cancel(ref: FanOutRef): Promise<FanOut | null>;
}
