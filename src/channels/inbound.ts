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

/** Signed but unreadable. `problem` is for an operator: why, and what to do. */
export interface UnreadableItem {
  readonly tenant: TenantId;
  readonly source: string;
  /** Fit to be read again as a body of its own. */
  readonly body: string;
  readonly problem: string;
}

/** What a body says to whoever its signature names. */
export interface ParsedBody {
  readonly items: readonly InboundItem[];
  readonly unreadable: readonly UnreadableItem[];
  /** Well-formed notices that mean nothing to us (a template was approved, a history was synchronised), for the log. */
  readonly ignored: readonly string[];
}

/** The same, with what vouches for the part that could not be read: the shape `Intake.storeUnreadable` takes. */
export interface ParsedWebhook extends ParsedBody {
  readonly unreadable: readonly (UnreadableItem & { readonly seal: string })[];
}
