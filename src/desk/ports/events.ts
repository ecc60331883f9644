/** Facts from outside, as they were stored, and their delivery. */
import type { AttachmentId, EventSubject, RunRef, Subject, TenantId } from '../../domain/ids.ts';
import type { Json } from '../../domain/json.ts';
import type { StoredEvent } from '../../domain/schemas/events.ts';
import type { DeliverableEvent } from './intake.ts';
import type { Page } from './page.ts';

export type EventStatus = 'stored' | 'delivered' | 'dead';
/** An event as the API lists it. `type` is `unreadable` for a dead letter that could not be parsed (data: `{body}`). */
export interface EventRecord {
  readonly key: string;
  readonly seq: number;
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: EventSubject | null;
  readonly time: string;
  readonly storedAt: string;
  readonly data: Json;
  readonly status: EventStatus;
  readonly attempts: number;
  readonly problem: string | null;
  /** Meant for an attachment that had ended or not begun. */
  readonly stale: boolean;
}

/** A dead letter that could not be read, as it came. */
export interface Letter {
  readonly body: string;
  /** What vouches for it; null: nothing does. */
  readonly seal: string | null;
  readonly storedAt: string;
}

/** `id` of an event: the desk's key or, failing that, the source's id (the newest, should two sources share it). */
export interface Events {
  get(tenant: TenantId, id: string): Promise<EventRecord | null>;
  /** Null: there is none such. */
  unreadable(tenant: TenantId, id: string): Promise<Letter | null>;
  list(filter: {
    readonly tenant: TenantId;
    readonly status?: EventStatus;
    readonly subject?: EventSubject;
    /** Of the key, or of the source's id. */
    readonly beginning?: string;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<EventRecord>>;
  /** By desk key, in order of storing; unknown keys are left out. */
  load(keys: readonly string[]): Promise<readonly StoredEvent[]>;
  /** On this subject, and on the topics `attachment` follows, after `seq`, in order: for a run whose queue overflowed. */
  after(query: {
    readonly tenant: TenantId;
    readonly subject: Subject;
    readonly attachment?: AttachmentId;
    readonly seq: number;
    readonly limit: number;
  }): Promise<readonly StoredEvent[]>;
  /** On the topics this attachment follows, stored since it was attached, oldest first: what a fan-out may have been too early for. */
  followedSinceAttach(query: {
    readonly tenant: TenantId;
    readonly attachment: AttachmentId;
    readonly limit: number;
  }): Promise<readonly StoredEvent[]>;
  /** Inbound messages since our or a human's last outbound, and since it was closed, in the conversation: a new attachment's first events. */
  unanswered(query: {
    readonly tenant: TenantId;
    readonly subject: Subject;
    readonly limit: number;
  }): Promise<readonly StoredEvent[]>;
  /** `stored` and older than `olderThanMs`, per subject in stored order: what a crash left undelivered. */
  undelivered(query: { readonly olderThanMs: number; readonly limit: number }): Promise<readonly DeliverableEvent[]>;
  /** Was this event delivered to this attachment? The horizon of deduplication: kept 400 days. */
  wasDelivered(key: string, attachment: AttachmentId): Promise<boolean>;
  /** Has a wake-up of a run of this name that is over consumed it? Not so what its end left to others. */
  wasConsumed(key: string, run: RunRef): Promise<boolean>;
  /** `requeues` as they were when the delivery began: what was given back meanwhile stays `stored`. */
  markDelivered(key: string, attachments: readonly AttachmentId[], requeues?: number): Promise<void>;
  /** Counts an attempt; `dead` after the tenth, or at once when told so. */
  markFailed(key: string, problem: string, options?: { readonly dead?: boolean }): Promise<EventStatus>;
  markStale(key: string): Promise<void>;
  /** An operator's: `stored` again (attempts 0). Null when there is none such. */
  requeue(tenant: TenantId, id: string): Promise<DeliverableEvent | null>;
  /** False when there is none such, or it has been delivered: that is on record. */
  drop(tenant: TenantId, id: string): Promise<boolean>;
}
