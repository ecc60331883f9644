/** What the simulated Chatwoot can be told and asked; `startChatwootSimulator` in `chatwoot-server.ts` starts one. */

export interface ChatwootSimulatorOptions {
  readonly port?: number;
  readonly accountId: number;
  readonly apiToken: string;
  readonly webhookSecret: string;
  readonly webhookUrl: string;
  readonly teams?: readonly string[];
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
  /** ms since 1970. */
  readonly at: number;
}

export interface SimulatedConversation {
  readonly id: number;
  readonly createdAt: number;
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
  customerSays(conversation: number, text: string): Promise<ChatwootMessage>;
  /** `fromPhone`: through the provider's own app, which names no sender. */
  humanReplies(
    conversation: number,
    text: string,
    how?: { readonly private?: boolean; readonly fromPhone?: boolean },
  ): Promise<ChatwootMessage>;
  /** A greeting, an out-of-office notice, a survey. */
  robotSays(conversation: number, text: string): Promise<ChatwootMessage>;
  assign(conversation: number, person: string | null): Promise<void>;
  setStatus(conversation: number, status: ConversationStatus): Promise<void>;
  /** As the inbox behind a conversation does when its window has closed. */
  setCanReply(conversation: number, canReply: boolean): void;
  /** Webhooks are lost from now on, or delivered again. */
  loseWebhooks(lose: boolean): void;
  close(): Promise<void>;
}
