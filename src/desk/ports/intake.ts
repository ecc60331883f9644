import type { TenantId } from '../../domain/ids.ts';
import type { ChannelEvent, EventInput, StoredEvent } from '../../domain/schemas/events.ts';

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
export type DeliverableEvent = StoredEvent &
  EventMeaning & {
    /** Times it had been given back when it was read; absent: never. */
    readonly requeues?: number;
    /** By this process's clock; absent: no more. Until then nobody but who stored it delivers it, so it was not delivered before. */
    readonly freshUntilMs?: number;
  };

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
  /** Signed but unreadable: kept as a dead letter, one for each body and whoever signed it. */
  storeUnreadable(letter: {
    readonly tenant: TenantId;
    readonly source: string;
    readonly body: string;
    readonly problem: string;
    /** What vouches for the body; absent: nothing, and it is never read again. */
    readonly seal?: string;
  }): Promise<void>;
}
