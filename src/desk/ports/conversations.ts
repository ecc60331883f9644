/** Conversations, their people and what was said. */
import type { AgentKey, AttachmentId, ConversationId, EffectKey, TenantId } from '../../domain/ids.ts';
import type { SendQuestion } from '../../domain/may-send.ts';
import type { ContactRef, DeliveryStatus, MessageAuthor, MessageContent } from '../../domain/schemas/events.ts';
import type { Page } from './page.ts';
import type { Switch } from './switches.ts';

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
  /** Of one that was opened anew: when it had been closed. */
  readonly previouslyClosedAt: string | null;
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
  /** ISO 3166. */
  readonly country: string | null;
  readonly optedOutAt: string | null;
  /** Since when they want no marketing; null: they take it. */
  readonly marketingStoppedAt: string | null;
}
/** A file by reference: the provider keeps it. */
export interface FileRef {
  readonly kind: Extract<MessageContent, { kind: 'media' }>['media'];
  readonly mediaId: string;
  readonly mimeType: string | null;
  readonly fileName: string | null;
  /** Hex or base64, as the provider told it. */
  readonly sha256: string | null;
}
/** The file of a message; `more` where it holds several, in their order. */
export interface MediaRef extends FileRef {
  readonly more?: readonly FileRef[];
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
  /** Of a message that is a file; null too where its author took it back. */
  readonly media: MediaRef | null;
  readonly private: boolean;
  readonly at: string;
  readonly status: DeliveryStatus | null;
  readonly error: string | null;
  readonly providerId: string | null;
  readonly reference: string | null;
  /** Its author changed it: the text is the newest. */
  readonly editedAt?: string | null;
  /** Its author took it back: the text is gone. */
  readonly deletedAt?: string | null;
}

/** In the form `maySend` takes. The oldest of those counted says when there is room again; null or absent: not known. */
export type SendCounts = SendQuestion['counts'];

export interface DeliveredCount {
  readonly channel: string;
  /** `2026-11`. */
  readonly month: string;
  /** Free-form messages, people's own included. */
  readonly service: number;
  readonly template: number;
}

/** What a wake-up asks before it thinks. */
export interface SightOfRun {
  /** Null: not a conversation, or none the desk knows. */
  readonly conversation: ConversationRecord | null;
  /** The switch that stops this agent here: the first that was turned off. */
  readonly off: Switch | null;
}

export interface Conversations {
  get(tenant: TenantId, id: ConversationId): Promise<ConversationRecord | null>;
  sightOfRun(run: {
    readonly tenant: TenantId;
    readonly agent: AgentKey;
    readonly conversation: ConversationId | null;
  }): Promise<SightOfRun>;
  /** Oldest first; the newest `limit` when no cursor is given, older ones by cursor. */
  messages(query: {
    readonly tenant: TenantId;
    readonly conversation: ConversationId;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<MessageRecord>>;
  /** One message, by our id or the provider's; null: there is none here. */
  message(
    query: { readonly tenant: TenantId; readonly conversation: ConversationId } & (
      { readonly id: string } | { readonly providerId: string }
    ),
  ): Promise<MessageRecord | null>;
  /** Further names of a person in channels of this kind. One that is somebody else's already stays theirs. */
  learnNames(of: {
    readonly tenant: TenantId;
    readonly channel: string;
    readonly contact: string;
    readonly names: readonly string[];
  }): Promise<void>;
  /** A provider refuses marketing to this person, at their own wish. One who has resumed it since goes on getting it. */
  stopMarketing(of: { readonly contact: string; readonly at: string }): Promise<void>;
  /** Creates the conversation if need be (demo, attach with a known contact). Never lowers anything. */
  ensure(conversation: {
    readonly tenant: TenantId;
    readonly id: ConversationId;
    readonly channel: string;
    readonly contact?: ContactRef;
  }): Promise<ConversationRecord>;
  /**
   * Sets the owner. `human` always holds. `agent` and `none` are refused (false) while a human has held it since
   * `unlessHumanSince` or later, and once the end of the run `whileLive` is recorded; without these bounds they always hold.
   * Unknown conversation: remembered all the same.
   */
  setOwner(change: {
    readonly tenant: TenantId;
    readonly id: ConversationId;
    readonly owner: Owner;
    readonly by: string;
    readonly at: string;
    readonly unlessHumanSince?: string;
    readonly whileLive?: AttachmentId;
  }): Promise<boolean>;
  close(change: { readonly tenant: TenantId; readonly id: ConversationId; readonly at: string }): Promise<void>;
  /**
   * Open conversations that a human has held and not written in since `silentSince`, whose latest answering run was of this
   * agent and ended because a human came in; whoever opted out is left alone. Longest silence first.
   */
  heldInSilence(query: {
    readonly tenant: TenantId;
    readonly agent: AgentKey;
    readonly silentSince: string;
    readonly limit: number;
  }): Promise<readonly { readonly id: ConversationId; readonly lastHumanAt: string }[]>;
  /** Messages of the business that reached their reader, by channel and month (UTC) since then; private notes left out. */
  delivered(query: { readonly tenant: TenantId; readonly since: string }): Promise<readonly DeliveredCount[]>;
  /** What `maySend` counts: our sends in this conversation and proactive ones to this person over all agents. */
  sendCounts(query: {
    readonly tenant: TenantId;
    readonly id: ConversationId;
    readonly conversationSince: string;
    readonly proactiveSince: string;
    /** The send that asks, and those by which its message did not arrive: it does not stand in its own way. */
    readonly except?: readonly EffectKey[];
  }): Promise<SendCounts>;
}
