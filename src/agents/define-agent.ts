/** What an agent is: a definition in code. Authors call {@link defineAgent}; everything else calls the {@link Agent} it returns. */
import type { z } from 'zod';
import { parseAgentKey, parseTopic, type AgentKey, ANSWERING_SLOT, type Slot, type Topic } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Outcome } from '../domain/outcomes.ts';
import type { DeliveryStatus, MessageAuthor, MessageContent, StoredEvent } from '../domain/schemas/events.ts';
import type { PolicyInput } from '../domain/schemas/policy.ts';
import type { PendingEffect } from '../domain/schemas/runs.ts';
import type { ErpReads } from '../erp/erp.ts';
import type { Investigator } from './investigate.ts';

/** One message of a transcript, oldest first. */
export interface TranscriptMessage {
  readonly id: string;
  readonly direction: 'in' | 'out';
  readonly author: MessageAuthor;
  readonly kind: MessageContent['kind'] | 'template';
  /** The words of it, whatever the kind: see `textOf`. */
  readonly text: string | null;
  /** Null: it is no file. {@link ConversationView.media} reads it. */
  readonly media: (FileInfo & { /** The others, where it holds several. */ readonly more: readonly FileInfo[] }) | null;
  /** ISO-8601 UTC, the provider's time. */
  readonly at: string;
  readonly status: DeliveryStatus | null;
  /** A human's private note, never seen by the customer. */
  readonly private: boolean;
}

/** What is known of a file before it is read. */
export interface FileInfo {
  readonly kind: Extract<MessageContent, { kind: 'media' }>['media'];
  readonly mimeType: string | null;
  readonly fileName: string | null;
}

/** A file that somebody sent. */
export interface MediaFile extends FileInfo {
  /** As the provider keeps it, checked against the hash that came with the message. */
  readonly bytes: Uint8Array;
}

/** The conversation as it stood when the tick began; reads go to the desk. */
export interface ConversationView {
  readonly id: string;
  readonly owner: 'none' | 'agent' | 'human';
  readonly closed: boolean;
  readonly contact: {
    readonly name: string | null;
    readonly locale: string | null;
    readonly optedOut: boolean;
    /** Wants no marketing messages: none that is `marketing` goes out. */
    readonly marketingStopped: boolean;
  } | null;
  /** IANA name: the policy's, else the contact's, else the tenant's. */
  readonly timeZone: string;
  readonly lastInboundAt: string | null;
  readonly lastOutboundAt: string | null;
  /** Until when free text may be sent; null where the channel knows no window, or none is open. */
  readonly windowUntil: string | null;
  /** The last `limit` messages (default 50, at most 500), oldest first. */
  messages(options?: { readonly limit?: number }): Promise<readonly TranscriptMessage[]>;
  /**
   * The file of a message: one of the transcript, or the data of a `message.inbound`. Fetched from the provider now, waiting
   * for one that is not there yet; when it cannot be had now, that is an outage and the wake-up is tried again. Null: it is no
   * file, it is larger than `maxBytes` (default 16 MB, at most 100), or the provider has it no more. `file` says which, of a
   * message with several: 0, the first, by default.
   */
  media(
    message: { readonly id: string } | { readonly providerId?: string | undefined },
    options?: { readonly maxBytes?: number; readonly file?: number },
  ): Promise<MediaFile | null>;
}

/** The time in which a human held the conversation. */
export interface HumanStretch {
  /** When the run before ended, ISO-8601 UTC. */
  readonly from: string;
  readonly to: string;
  /** What whoever gave it back had to say. */
  readonly note: string | null;
  /** What was said in that time by anybody, oldest first: the last hundred. */
  readonly messages: readonly TranscriptMessage[];
}

/** What a tick gets: everything to read, nothing to act with. */
export interface Tick<Config, State> {
  readonly config: Config;
  readonly state: State;
  /** The events this wake-up consumes, in order of storing. */
  readonly events: readonly StoredEvent[];
  /** Null for an agent attached to the business. */
  readonly conversation: ConversationView | null;
  /**
   * The tenant's ERP, to look at; null unless the agent declares `erp: true`. Its calls end with the tick; one without an
   * answer throws `ErpError`, which is an outage and no fault of the agent.
   */
  readonly erp: ErpReads | null;
  readonly tenant: { readonly id: string; readonly name: string; readonly timeZone: string };
  /** The clock as this attempt began, ISO-8601 UTC. */
  readonly now: string;
  /** The due time the run has: past when it is why the run woke, ahead when an event or an operator woke it. */
  readonly dueAt: string;
  /** Counts from 1. */
  readonly tick: number;
  readonly why: 'due' | 'event' | 'operator';
  readonly pendingEffects: readonly PendingEffect[];
  /** What became of effects decided earlier and failed for good since the last tick. */
  readonly failedEffects: readonly { readonly key: string; readonly kind: string; readonly reason: string }[];
  /** In the first tick after a human gave the conversation back: what they did with it. Null in every other. */
  readonly humanStretch: HumanStretch | null;
  /** Aborted when the run is taken over, detached or out of time: pass it on to every call. */
  readonly signal: AbortSignal;
  readonly log: { info(message: string, fields?: JsonObject): void; warn(message: string, fields?: JsonObject): void };
}

export interface AgentDefinition<Config extends z.ZodType, State extends z.ZodType> {
  /** Stable for ever: it is part of workflow ids. */
  readonly key: string;
  /** Counts up with every change of `config` or `state`; `migrate` brings older states along. */
  readonly version: number;
  readonly title: string;
  /** Answers customers: shares the one answering slot of a conversation. */
  readonly answers: boolean;
  readonly attachesTo: 'conversation' | 'business';
  readonly config: Config;
  readonly state: State;
  initialState(config: z.output<Config>): z.input<State>;
  /** State of an older version in, state of this version out. Absent: the old state must fit the schema as it is. */
  migrate?(old: { readonly version: number; readonly state: JsonObject }): z.input<State>;
  /** Event types that wake it; others wait for the next tick. `custom.*` is allowed. */
  readonly wakeOn: readonly string[];
  /** Names such as `price-list`: what is told to the topic is told to every run of it, from its attachment to its end. */
  readonly topics?: readonly string[];
  readonly policy?: PolicyInput;
  /** Calls a language model: its ticks run on the queue for slow work. */
  readonly model?: boolean;
  /** How it looks into what its tick has seen; needed by the effect `investigation.open`. */
  readonly investigate?: Investigator;
  /** Reads the tenant's ERP: it attaches only where there is one. */
  readonly erp?: boolean;
  tick(tick: Tick<z.output<Config>, z.output<State>>): Promise<Outcome> | Outcome;
}

/** An agent as the rest of the system holds it, its types closed over. */
export interface Agent {
  readonly key: AgentKey;
  readonly version: number;
  readonly title: string;
  readonly answers: boolean;
  readonly attachesTo: 'conversation' | 'business';
  readonly slot: Slot;
  readonly config: z.ZodType;
  readonly state: z.ZodType;
  readonly wakeOn: readonly string[];
  readonly topics: readonly Topic[];
  readonly policy: PolicyInput;
  readonly model: boolean;
  readonly investigator: Investigator | null;
  readonly erp: boolean;
  initialState(config: JsonObject): JsonObject;
  migrate(old: { readonly version: number; readonly state: JsonObject }): JsonObject;
  tick(tick: Tick<JsonObject, JsonObject>): Promise<Outcome> | Outcome;
}

/**
 * Declares an agent.
 * @throws {InvalidIdError} when the key or a topic is outside the grammar of ids.
 */
export function defineAgent<Config extends z.ZodType, State extends z.ZodType>(
  definition: AgentDefinition<Config, State>,
): Agent {
  const key = parseAgentKey(definition.key, 'key');
  return {
    key,
    version: definition.version,
    title: definition.title,
    answers: definition.answers,
    attachesTo: definition.attachesTo,
    slot: definition.answers ? ANSWERING_SLOT : (key as string as Slot),
    config: definition.config,
    state: definition.state,
    wakeOn: definition.wakeOn,
    topics: (definition.topics ?? []).map((topic) => parseTopic(topic, 'topics')),
    policy: definition.policy ?? {},
    model: definition.model ?? false,
    investigator: definition.investigate ?? null,
    erp: definition.erp ?? false,
    initialState: (config) => definition.initialState(config as z.output<Config>) as JsonObject,
    migrate: (old) => definition.migrate?.(old) ?? old.state,
    tick: (tick) => definition.tick(tick as unknown as Tick<z.output<Config>, z.output<State>>),
  };
}
