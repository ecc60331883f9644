/** The port every channel implements: how messages go out, and what can be learned about one whose answer was lost. */
import type { Subject, TenantId } from '../domain/ids.ts';
import type { TemplateMessage } from '../domain/schemas/templates.ts';
import type { InboundItem } from './inbound.ts';

/** Where a conversation lives. `address` is the provider's own name for the person: personal data, never logged. */
export interface ConversationAddress {
  readonly tenant: string;
  readonly conversation: string;
  readonly address: string;
}

export interface OutgoingMessage {
  readonly to: ConversationAddress;
  /** A hash of the effect's key: handed to the provider, which hands it back in statuses and echoes. */
  readonly reference: string;
  readonly content:
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'template'; readonly template: TemplateMessage };
  /** Aborts the request when the attempt has waited long enough. */
  readonly signal: AbortSignal;
}

/** The provider accepted it. */
export interface SendReceipt {
  readonly providerId: string;
  /** Other names that the provider's answer has for the person, of which it may use any when they write. */
  readonly names?: readonly string[];
}

/** What a provider could say of a message whose answer was lost. */
export type SentLookup =
  | { readonly found: 'yes'; readonly providerId: string }
  | { readonly found: 'no' }
  /** The provider cannot be asked: wait for a status or an echo. */
  | { readonly found: 'cannot_know' };

export interface RecentQuery {
  readonly tenant: TenantId;
  readonly since: string;
  /** The instant of asking. */
  readonly until: string;
  readonly memory: PollMemory;
  readonly signal: AbortSignal;
}

/** What a channel noted of a conversation when it was last asked, in its own words: providers tell how things stand, not what changed. */
export interface PollMemory {
  /** Null: it was never looked at. */
  of(subject: Subject): Promise<string | null>;
  /** Once what follows from it is stored. */
  keep(subject: Subject, note: string): Promise<void>;
}

/** For a file that somebody sent. */
export interface MediaRequest {
  readonly to: ConversationAddress;
  /** The provider's id of the message that holds it. */
  readonly messageId: string;
  readonly mediaId: string;
  /** As the webhook told it, in hex or base64. */
  readonly sha256: string | null;
  /** When the message was written: a young one's file may not be there yet, an old one's is gone. */
  readonly sentAt: string;
  readonly signal: AbortSignal;
}

export interface OpenMedia {
  readonly mimeType: string | null;
  /** In bytes, where the provider says so. */
  readonly size: number | null;
  /** Errors with a `ChannelError` when it grows too large, breaks off or is not what the webhook announced. */
  readonly body: ReadableStream<Uint8Array>;
}

export interface Channel {
  readonly kind: string;
  /** `whatsapp:100`: how the desk and the configuration name this very channel. */
  readonly key: string;
  /** True where free text is only allowed within 24 hours of the customer's last message. */
  readonly hasServiceWindow: boolean;
  /** Sends, in this conversation's channel, may be made at this rate at most (per second, for the whole channel). */
  readonly sendsPerSecond: number;
  /** To one person: `burst` at once, then at this rate. Absent: the provider sets no such limit. */
  readonly perContact?: { readonly perSecond: number; readonly burst: number };
  /** @throws {ChannelError} */
  send(message: OutgoingMessage): Promise<SendReceipt>;
  /** Was a message with this reference accepted? Asked before any resend. @throws {ChannelError} */
  findSent(query: {
    readonly to: ConversationAddress;
    readonly reference: string;
    readonly text: string | null;
    readonly since: string;
    readonly signal: AbortSignal;
  }): Promise<SentLookup>;
  /** A file that somebody sent, whenever it is wanted. Absent: the channel keeps none. @throws {ChannelError} */
  openMedia?(request: MediaRequest): Promise<OpenMedia>;
  /** Where webhooks may be lost: how often to ask ({@link recent}). A duration such as `5m`. */
  readonly pollEvery?: string;
  /**
   * What happened since then, as far as the provider can be asked: each fact as its webhook would have told it, under the
   * very id, so that storing it again changes nothing. @throws {ChannelError}
   */
  recent?(query: RecentQuery): AsyncIterable<InboundItem>;
  /** Marks that message as read and shows that an answer is being written. A courtesy: not retried. @throws {ChannelError} */
  showTyping?(to: ConversationAddress, inReplyTo: string, signal: AbortSignal): Promise<void>;
  /** Where the channel is an inbox too; absent: the desk alone keeps it. @throws {ChannelError} */
  close?(to: ConversationAddress, signal: AbortSignal): Promise<void>;
  handOff?(
    to: ConversationAddress,
    handOff: { readonly note: string; readonly team?: string },
    signal: AbortSignal,
  ): Promise<void>;
  addNote?(
    to: ConversationAddress,
    note: { readonly text: string; readonly reference: string },
    signal: AbortSignal,
  ): Promise<void>;
}
