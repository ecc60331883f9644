/** What people asked of runs: attach, take over, pause and so on, each on record. */
import type { AgentKey, AttachmentId, Slot, Subject, TenantId, WorkflowId } from '../../domain/ids.ts';
import type { Policy } from '../../domain/schemas/policy.ts';

export type ActKind = 'attach' | 'handback' | 'takeover' | 'detach' | 'pause' | 'resume' | 'snooze' | 'wake';

export interface ActRecord {
  readonly tenant: TenantId;
  readonly subject: Subject;
  /** Null: meant for every run on the subject. */
  readonly slot: Slot | null;
  readonly attachment: AttachmentId | null;
  readonly act: ActKind;
  readonly actor: string;
  readonly comment: string | null;
  readonly at: string;
}

export interface Acts {
  /** Committed = accepted: from here on the permit says no. A takeover also makes `human` the owner, in the same transaction. */
  record(act: ActRecord): Promise<void>;
  /** Of one run, taken by it and written down by nobody else: in its timeline and in the audit. Told again, each stands there once. */
  recordAsked(asked: readonly (ActRecord & { readonly slot: Slot })[]): Promise<void>;
  /**
   * The desk's half of the send permit: is a human outbound, takeover, detach or kill switch stored for this subject
   * since this attachment? Null: permitted; else the reason.
   */
  objection(query: {
    readonly tenant: TenantId;
    readonly subject: Subject;
    readonly slot: Slot;
    readonly attachment: AttachmentId;
    readonly attachedAt: string;
    readonly agent: AgentKey;
    readonly channel: string | null;
    readonly onHumanMessage: Policy['onHumanMessage'];
  }): Promise<'human_replied' | 'taken_over' | 'closed_by_human' | 'detached' | 'switched_off' | null>;
  /** Stored takeovers and detaches of live runs that Temporal may not have heard of (a crash between the two). */
  undelivered(limit: number): Promise<readonly (ActRecord & { readonly workflowId: WorkflowId })[]>;
}
