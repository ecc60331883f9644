/**
 * The desk: our own database, as the rest of the system sees it. Implemented once with drizzle, for PGlite and
 * PostgreSQL alike. Every method is one transaction; what returns has been committed. Instants are ISO-8601 UTC.
 */
import type {
  AgentKey,
  AttachmentId,
  ConversationId,
  EffectKey,
  Slot,
  Subject,
  TenantId,
  WorkflowId,
} from '../domain/ids.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import type { SendQuestion } from '../domain/may-send.ts';
import type { Effect, EffectKind } from '../domain/schemas/effects.ts';
import type {
  ChannelEvent,
  ContactRef,
  DeliveryStatus,
  EventInput,
  MessageAuthor,
  MessageContent,
  StoredEvent,
} from '../domain/schemas/events.ts';
import type { Policy } from '../domain/schemas/policy.ts';
import type { RunSummary } from '../domain/schemas/runs.ts';
import type { EndReason, Phase, RunStatus, TerminalStatus } from '../domain/statuses.ts';

export interface Desk {
  readonly intake: Intake;
  readonly events: Events;
  readonly conversations: Conversations;
  readonly runs: Runs;
  readonly ledger: Ledger;
  readonly acts: Acts;
  readonly switches: Switches;
  readonly limits: Limits;
  /** Answers when the database does. @throws when it cannot be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

// ── Intake ──────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A fact on its way in. `event.subject` is set by callers who know the conversation (the API, a CRM); channels that
 * only know a person leave it out and name `channel` and the contact's address: the desk finds or opens the conversation.
 */
export interface IntakeItem {
  readonly tenant: TenantId;
  /** `whatsapp:100`, `simulated`; null for the API. Kept on a conversation seen first here. */
  readonly channel: string | null;
  readonly event: EventInput | ChannelEvent;
}

/** What a stored fact means for runs. Kept with the event: a delivery after a crash says what the first would have said. */
export interface EventMeaning {
  /** Our own message, close or hand-off coming back: recorded, never delivered as a human's (stored as `delivered`). */
  readonly ownEcho: boolean;
  /** The fact means that a human holds the conversation now; the owner was set in the same transaction. */
  readonly humanTookOver: {
    readonly cause: 'human_replied' | 'taken_over' | 'closed_by_human';
    readonly actor: string;
  } | null;
  readonly optOut: boolean;
}
/** An event on its way to the runs, with what it means for them. */
export type DeliverableEvent = StoredEvent & EventMeaning;

export type IntakeResult =
  | (EventMeaning & {
      readonly result: 'accepted';
      readonly event: StoredEvent;
      /** Stored in the same transaction because this one opened a conversation. */
      readonly opened: StoredEvent | null;
    })
  | { readonly result: 'duplicate'; readonly key: string };

export interface Intake {
  /**
   * Stores one fact and all that follows from it (contact, conversation and its owner, message, status) in one
   * transaction under the unique key (tenant, source, id). A repeat changes nothing. Out-of-order facts never turn
   * anything back: an older `conversation.opened` does not reopen, a late status does not lower.
   */
  store(item: IntakeItem): Promise<IntakeResult>;
  /** Signed but unreadable: kept as a dead letter, deduplicated by the hash of its body. */
  storeUnreadable(letter: {
    readonly tenant: TenantId;
    readonly source: string;
    readonly body: string;
    readonly problem: string;
  }): Promise<void>;
}

export type EventStatus = 'stored' | 'delivered' | 'dead';
/** An event as the API lists it. `type` is `unreadable` for a dead letter that could not be parsed (data: `{body}`). */
export interface EventRecord {
  readonly key: string;
  readonly seq: number;
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: Subject | null;
  readonly time: string;
  readonly storedAt: string;
  readonly data: Json;
  readonly status: EventStatus;
  readonly attempts: number;
  readonly problem: string | null;
  /** Meant for an attachment that had ended or not begun. */
  readonly stale: boolean;
}

/** `id` of an event: the desk's key or, failing that, the source's id (the newest, should two sources share it). */
export interface Events {
  get(tenant: TenantId, id: string): Promise<EventRecord | null>;
  list(filter: {
    readonly tenant: TenantId;
    readonly status?: EventStatus;
    readonly subject?: Subject;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<EventRecord>>;
  /** By desk key, in order of storing; unknown keys are left out. */
  load(keys: readonly string[]): Promise<readonly StoredEvent[]>;
  /** On this subject, after `seq`, in order: for a run whose queue overflowed. */
  after(query: {
    readonly tenant: TenantId;
    readonly subject: Subject;
    readonly seq: number;
    readonly limit: number;
  }): Promise<readonly StoredEvent[]>;
  /** Inbound messages since our or a human's last outbound in the conversation: a new attachment's first events. */
  unanswered(query: {
    readonly tenant: TenantId;
    readonly subject: Subject;
    readonly limit: number;
  }): Promise<readonly StoredEvent[]>;
  /** `stored` and older than `olderThanMs`, per subject in stored order: what a crash left undelivered. */
  undelivered(query: { readonly olderThanMs: number; readonly limit: number }): Promise<readonly DeliverableEvent[]>;
  /** Was this event delivered to this attachment? The horizon of deduplication: kept 400 days. */
  wasDelivered(key: string, attachment: AttachmentId): Promise<boolean>;
  markDelivered(key: string, attachments: readonly AttachmentId[]): Promise<void>;
  /** Counts an attempt; `dead` after the tenth, or at once when told so. */
  markFailed(key: string, problem: string, options?: { readonly dead?: boolean }): Promise<EventStatus>;
  markStale(key: string): Promise<void>;
  /** An operator's: `stored` again (attempts 0), or gone. Null when there is none such. */
  requeue(tenant: TenantId, id: string): Promise<DeliverableEvent | null>;
  drop(tenant: TenantId, id: string): Promise<boolean>;
}

// ── Conversations ───────────────────────────────────────────────────────────────────────────────────────────────

export type Owner = 'none' | 'agent' | 'human';

export interface ConversationRecord {
  readonly tenant: TenantId;
  readonly id: ConversationId;
  /** Key of the channel it lives in; null: none known yet, so nothing can be sent. */
  readonly channel: string | null;
  readonly owner: Owner;
  readonly ownerSince: string;
  readonly openedAt: string;
  readonly closedAt: string | null;
  readonly lastInboundAt: string | null;
  readonly lastOutboundAt: string | null;
  readonly lastHumanOutboundAt: string | null;
  readonly contact: ContactRecord | null;
}
export interface ContactRecord {
  readonly id: string;
  /** The provider's own id for replies: what the last inbound came from. */
  readonly address: string;
  readonly name: string | null;
  readonly locale: string | null;
  readonly timeZone: string | null;
  readonly optedOutAt: string | null;
}
export interface MessageRecord {
  readonly id: string;
  readonly conversation: ConversationId;
  readonly direction: 'in' | 'out';
  readonly author: MessageAuthor;
  readonly by: string | null;
  readonly kind: MessageContent['kind'] | 'template';
  /** The words of it, whatever the kind: see `textOf`. */
  readonly text: string | null;
  readonly private: boolean;
  readonly at: string;
  readonly status: DeliveryStatus | null;
  readonly error: string | null;
  readonly providerId: string | null;
  readonly reference: string | null;
}

/** In the form `maySend` takes. The oldest of those counted says when there is room again; null or absent: not known. */
export type SendCounts = SendQuestion['counts'];

export interface Conversations {
  get(tenant: TenantId, id: ConversationId): Promise<ConversationRecord | null>;
  /** Oldest first; the newest `limit` when no cursor is given, older ones by cursor. */
  messages(query: {
    readonly tenant: TenantId;
    readonly conversation: ConversationId;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<MessageRecord>>;
  /** Creates the conversation if need be (demo, attach with a known contact). Never lowers anything. */
  ensure(conversation: {
    readonly tenant: TenantId;
    readonly id: ConversationId;
    readonly channel: string;
    readonly contact?: ContactRef;
  }): Promise<ConversationRecord>;
  /**
   * Sets the owner. `human` always holds. `agent` and `none` are refused (false) while a human has held it since
   * `unlessHumanSince` or later; without that bound they always hold. Unknown conversation: remembered all the same.
   */
  setOwner(change: {
    readonly tenant: TenantId;
    readonly id: ConversationId;
    readonly owner: Owner;
    readonly by: string;
    readonly at: string;
    readonly unlessHumanSince?: string;
  }): Promise<boolean>;
  close(change: { readonly tenant: TenantId; readonly id: ConversationId; readonly at: string }): Promise<void>;
  /** What `maySend` counts: our sends in this conversation and proactive ones to this person over all agents. */
  sendCounts(query: {
    readonly tenant: TenantId;
    readonly id: ConversationId;
    readonly conversationSince: string;
    readonly proactiveSince: string;
  }): Promise<SendCounts>;
}

// ── Runs ────────────────────────────────────────────────────────────────────────────────────────────────────────

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
export interface TickRecord {
  readonly attachment: AttachmentId;
  readonly tick: number;
  readonly attempt: number;
  readonly why: 'due' | 'event' | 'operator';
  readonly dueAt: string;
  readonly startedAt: string;
  readonly endedAt: string;
  /** Desk keys of the events it consumed. */
  readonly events: readonly string[];
  readonly outcome:
    | {
        readonly kind: 'reschedule';
        readonly nextRunAt: string | null;
        readonly why: string | null;
        readonly effects: readonly EffectKind[];
      }
    | {
        readonly kind: 'finish';
        readonly status: TerminalStatus;
        readonly reason: EndReason;
        readonly effects: readonly EffectKind[];
      }
    | { readonly kind: 'failed'; readonly fault: string; readonly message: string }
    | { readonly kind: 'switched_off'; readonly by: string };
}
/** One line of a run's timeline, oldest first. */
export type TimelineEntry =
  | ({ readonly at: string; readonly entry: 'tick' } & Omit<TickRecord, 'attachment'>)
  | {
      readonly at: string;
      readonly entry: 'event';
      readonly id: string;
      readonly type: string;
      readonly stale: boolean;
      readonly text: string | null;
    }
  | {
      readonly at: string;
      readonly entry: 'effect';
      readonly key: EffectKey;
      readonly kind: EffectKind;
      readonly state: LedgerState;
      readonly reason: string | null;
      readonly text: string | null;
      readonly status: DeliveryStatus | null;
    }
  | {
      readonly at: string;
      readonly entry: 'act';
      readonly act: ActKind;
      readonly actor: string;
      readonly comment: string | null;
      readonly stale: boolean;
    }
  | {
      readonly at: string;
      readonly entry: 'end';
      readonly status: TerminalStatus;
      readonly reason: EndReason;
      readonly actor: string | null;
      readonly comment: string | null;
    };

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

// ── Effects ─────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * `claimed` nothing tried yet; `sending` a request may be on its way; `sent` the provider has it; `unknown` its fate
 * cannot be known; `failed` for good; `refused` the rules said no; `cancelled` taken back before it was tried.
 */
export type LedgerState = 'claimed' | 'sending' | 'sent' | 'unknown' | 'failed' | 'refused' | 'cancelled';

export interface LedgerRow {
  readonly key: EffectKey;
  readonly tenant: TenantId;
  readonly subject: Subject;
  readonly attachment: AttachmentId;
  readonly effect: Effect;
  /** Hash of the key; what a provider hands back. */
  readonly reference: string;
  readonly state: LedgerState;
  /** Of the activity attempt that last claimed it: `{perform number}.{activity attempt}`. */
  readonly attempt: string;
  readonly providerId: string | null;
  readonly reason: string | null;
  /** Since when it has been `sending`. */
  readonly sendingSince: string | null;
}

export interface Ledger {
  /** Inserts as `claimed`, or takes over a row that is still `claimed`; any other row comes back as it stands. */
  claim(claim: {
    readonly key: EffectKey;
    readonly tenant: TenantId;
    readonly subject: Subject;
    readonly attachment: AttachmentId;
    readonly effect: Effect;
    readonly reference: string;
    readonly attempt: string;
  }): Promise<LedgerRow>;
  /** Compare-and-set `claimed` → `sending` for this attempt, or `sending` → `sending` for a resend that is known to be safe. */
  beginSending(key: EffectKey, attempt: string, from: 'claimed' | 'sending'): Promise<boolean>;
  /** `sending` → `claimed`: known that nothing went out. */
  notSent(key: EffectKey, attempt: string): Promise<void>;
  /** → `sent`; a message.send also becomes a message of the transcript, in the same transaction. First one wins. */
  sent(done: { readonly key: EffectKey; readonly providerId: string | null; readonly at: string }): Promise<void>;
  /** → `unknown`, `failed`, `refused` or `cancelled`, unless already `sent`. */
  settle(end: {
    readonly key: EffectKey;
    readonly state: 'unknown' | 'failed' | 'refused' | 'cancelled';
    readonly reason: string;
  }): Promise<void>;
  get(key: EffectKey): Promise<LedgerRow | null>;
  /** Was this reference or provider id seen in a status or an echo since? Answers the provider's id. */
  seenByProvider(reference: string): Promise<string | null>;
}

// ── Acts, switches, limits ──────────────────────────────────────────────────────────────────────────────────────

export type ActKind = 'attach' | 'takeover' | 'detach' | 'pause' | 'resume' | 'snooze' | 'wake';

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

/** The kill switch: one row stops every tick and send it covers, no worker needed. */
export interface Switch {
  readonly tenant: TenantId;
  readonly scope: 'tenant' | 'agent' | 'channel';
  /** Agent key or channel key; `*` for the tenant. */
  readonly key: string;
  readonly by: string;
  readonly reason: string | null;
  readonly at: string;
}
export interface Switches {
  turnOff(entry: Switch): Promise<void>;
  turnOn(entry: { readonly tenant: TenantId; readonly scope: Switch['scope']; readonly key: string }): Promise<boolean>;
  list(tenant: TenantId): Promise<readonly Switch[]>;
  /** The switch that covers this agent, if any. */
  covering(query: {
    readonly tenant: TenantId;
    readonly agent: AgentKey;
    readonly channel: string | null;
  }): Promise<Switch | null>;
}

export interface Limits {
  /** Takes one token of `key`'s bucket; 0 when granted, else milliseconds until one is there. Shared by all processes. */
  take(bucket: { readonly key: string; readonly perSecond: number; readonly burst: number }): Promise<number>;
}
