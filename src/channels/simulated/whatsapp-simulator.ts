/** What the simulated WhatsApp can be told and asked; `startWhatsAppSimulator` in `graph-server.ts` starts one. */
import type { SimulatedFiles } from './graph-media.ts';
import type { MessageBody, SimulatedPerson, SimulatedStatus, Update } from './webhook-bodies.ts';
import type { Noise } from './noise.ts';
import type { Passage, Release } from './webhook-sender.ts';

export interface WhatsAppSimulatorOptions {
  /** Default: any free one. */
  readonly port?: number;
  readonly phoneNumberId: string;
  readonly appSecret: string;
  /** Given: every other token is refused as Meta refuses it (401, code 190). */
  readonly accessToken?: string;
  /** Where updates are posted: `http://127.0.0.1:8080/webhooks/whatsapp/acme`. */
  readonly webhookUrl: string;
  /** What follows each accepted message, in order. Default: sent, delivered. */
  readonly statuses?: readonly SimulatedStatus[];
  /** Refuses free text to people who have not written for 24 hours by the simulator's clock (131047). Default: it does not. */
  readonly serviceWindow?: boolean;
  readonly retryEveryMs?: number;
  readonly noise?: Noise;
  /** Before each answer. Default 0. */
  readonly latencyMs?: number;
  /** Told of each message that was taken. */
  readonly onAccepted?: (message: SentMessage) => void;
}

/** A message the simulator accepted: the person gets it. */
export interface SentMessage {
  readonly id: string;
  /** Phone digits with their plus, or a user id. */
  readonly to: string;
  readonly reference: string | undefined;
  readonly text: string | undefined;
  readonly template: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  /** When it was accepted, ms since 1970 by this machine's clock, whatever the simulator's says. */
  readonly acceptedAt: number;
}

/** What a test may choose of a message: its id, its time (ms since 1970), and how it travels. */
export interface Chosen {
  readonly id?: string;
  readonly at?: number;
  readonly passage?: Passage;
}

/** What one POST to the Graph endpoint comes to, instead of being accepted and answered. */
export type SendTrouble =
  | { readonly kind: 'refuse'; readonly status: number; readonly code?: number; readonly retryAfter?: string }
  /** The connection is cut: before the message was taken, or after. */
  | { readonly kind: 'cut'; readonly accepted: boolean }
  /** Accepted, but the answer never comes. */
  | { readonly kind: 'hang' }
  /** Accepted then, under this id, else one of its own. */
  | { readonly kind: 'held'; readonly until: Promise<unknown>; readonly id?: string }
  /** Accepted, and answered with something that is not JSON. */
  | { readonly kind: 'garbage' };

export interface WhatsAppSimulator {
  /** What to configure as the channel's `apiUrl`. */
  readonly url: string;
  readonly received: readonly SentMessage[];
  /** What people send as files: `customerSays(phone, files.add(file))`. */
  readonly files: SimulatedFiles;
  /** What became of threads: passed on, released. */
  readonly threads: readonly Readonly<Record<string, unknown>>[];
  /** Every POST, accepted or not, but what shows that a message was read and that somebody types: a courtesy of slow wake-ups. */
  readonly attempts: number;
  /** The next `times` POSTs meet this, first come first served. */
  failNext(trouble: SendTrouble, times?: number): void;
  /** Answers the message's id once the webhook was answered 200. */
  customerSays(from: string | SimulatedPerson, message: string | MessageBody, chosen?: Chosen): Promise<string>;
  /** Somebody of the business typed it into the WhatsApp Business app. */
  humanEchoes(to: string, message: string | MessageBody, chosen?: Chosen): Promise<string>;
  /** They stop or resume marketing messages, in WhatsApp's own settings. */
  prefers(phone: string, value: 'stop' | 'resume', chosen?: Pick<Chosen, 'at' | 'passage'>): Promise<void>;
  /** A status for a received message, whenever a test wants one; `failed` with its code. */
  reports(sent: SentMessage, status: SimulatedStatus, errorCode?: number): Promise<void>;
  /** Any update, or raw bytes with any signature (answers the HTTP status). */
  post(update: Update): Promise<void>;
  postRaw(body: string | Uint8Array, signature?: string): Promise<number>;
  /** Keep updates back, then let them go reversed, in batches or several times. */
  hold(): void;
  release(how?: Release): Promise<void>;
  /** The simulator's time, ms since 1970; undefined: the real one again. */
  setClock(now: number | undefined): void;
  /** Resolves with all received once there are `count`. */
  waitForSent(count: number): Promise<readonly SentMessage[]>;
  settled(): Promise<void>;
  close(): Promise<void>;
}
