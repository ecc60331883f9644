/** What the simulated Chatwoot can be told and asked; `startChatwootSimulator` in `chatwoot-server.ts` starts one. */

import type { Noise } from './noise.ts';

export interface ChatwootSimulatorOptions {
  readonly port?: number;
  readonly accountId: number;
  readonly apiToken: string;
  readonly webhookSecret: string;
  readonly webhookUrl: string;
  readonly teams?: readonly string[];
  readonly noise?: Noise;
  /** Before each answer. Default 0. */
  readonly latencyMs?: number;
  /** Told of each message, whoever wrote it. */
  readonly onMessage?: (message: ChatwootMessage) => void;
}

export type MessageType = 'incoming' | 'outgoing' | 'activity' | 'template';
export type ConversationStatus = 'pending' | 'open' | 'resolved' | 'snoozed';

export interface ChatwootMessage {
  readonly id: number;
  readonly conversation: number;
  readonly content: string;
  readonly type: MessageType;
  readonly private: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly sender: Readonly<Record<string, unknown>> | null;
  readonly files: readonly SimulatedAttachment[];
  /** Number of the campaign that sent it. */
  readonly campaign: number | null;
  /** ms since 1970. */
  readonly at: number;
}

export interface SimulatedAttachment {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** Chatwoot's word: image, audio, video or file. */
  readonly type: string;
  /** So many readings of the message show no address for it. Default 0. */
  readonly notReadyFor?: number;
}

export interface SimulatedConversation {
  readonly id: number;
  readonly createdAt: number;
  lastActivityAt: number;
  updatedAt: number;
  status: ConversationStatus;
  assignee: string | null;
  team: string | null;
  canReply: boolean;
}

/** What one write to the API meets, instead of being taken and answered. */
export type WriteTrouble =
  | { readonly kind: 'refuse'; readonly status: number }
  /** The connection is cut: before the message was taken, or after. */
  | { readonly kind: 'cut'; readonly taken: boolean };

export interface ChatwootSimulator {
  readonly url: string;
  /** All of them, in order: what the customer sees are the public ones. */
  readonly messages: readonly ChatwootMessage[];
  conversation(id: number): Readonly<SimulatedConversation>;
  failNext(trouble: WriteTrouble): void;
  /** Each resolves once its webhooks were answered, whatever the answer. The conversation begins `pending`. */
  customerSays(conversation: number, text: string, ...files: readonly SimulatedAttachment[]): Promise<ChatwootMessage>;
  /** Files come to a message that was told without them. */
  attach(message: number, ...files: readonly SimulatedAttachment[]): Promise<void>;
  /** `fromPhone`: through the provider's own app, which names no sender. */
  humanReplies(
    conversation: number,
    text: string,
    how?: { readonly private?: boolean; readonly fromPhone?: boolean },
  ): Promise<ChatwootMessage>;
  /** A greeting, an out-of-office notice, a survey. */
  robotSays(conversation: number, text: string): Promise<ChatwootMessage>;
  /** Under the name of a person, as campaigns go out. */
  campaignSays(conversation: number, text: string): Promise<ChatwootMessage>;
  assign(conversation: number, person: string | null): Promise<void>;
  setStatus(conversation: number, status: ConversationStatus): Promise<void>;
  /** As the inbox behind a conversation does when its window has closed. */
  setCanReply(conversation: number, canReply: boolean): void;
  /** The simulator's time, ms since 1970; undefined: the real one again. */
  setClock(now: number | undefined): void;
  /** Webhooks are lost from now on, or delivered again. */
  loseWebhooks(lose: boolean): void;
  close(): Promise<void>;
}
