/** What every channel's parser gives back: facts to store, and what it could not read. The route stores both, then answers. */
import type { TenantId } from '../domain/ids.ts';
import type { ChannelEvent, EventInput } from '../domain/schemas/events.ts';

/** A fact on its way into the desk: the shape `Intake.store` takes. */
export interface InboundItem {
  readonly tenant: TenantId;
  /** Key of the channel it came by; null for events of the API. */
  readonly channel: string | null;
  readonly event: EventInput | ChannelEvent;
}

/** Signed but unreadable: the shape `Intake.storeUnreadable` takes. `problem` is for an operator. */
export interface UnreadableItem {
  readonly tenant: TenantId;
  readonly source: string;
  readonly body: string;
  readonly problem: string;
}

export interface ParsedWebhook {
  readonly items: readonly InboundItem[];
  readonly unreadable: readonly UnreadableItem[];
  /** Well-formed notices that mean nothing to us (a template was approved, a history was synchronised), for the log. */
  readonly ignored: readonly string[];
}
