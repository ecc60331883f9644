/** What an agent wants done in the world, as data: checked when it is built, done after the tick. */
import { MESSAGE_TEXT_LIMIT, type Effect, type EffectInput, type MessageSend } from '../domain/schemas/effects.ts';
import type { TemplateMessage } from '../domain/schemas/templates.ts';
import { splitText } from '../domain/split-text.ts';
import type { JsonObject } from '../domain/json.ts';
import type { z } from 'zod';
import { checkEffect } from './outcome-rules.ts';

export interface SayOptions {
  /** ISO-8601 UTC: dropped, not sent, after this instant. */
  readonly notAfter?: string;
  /** Our own idea, not an answer: waits for the end of quiet hours, and a message of the customer takes it back. */
  readonly proactive?: boolean;
  /** Beside `proactive`: it advertises, so people who stopped marketing messages do not get it. A marketing template says so by itself. */
  readonly marketing?: boolean;
  /** Goes out instead, where the channel no longer takes free text. */
  readonly template?: z.input<typeof TemplateMessage>;
}

/** A message to the customer, 1 to 4,096 characters. @throws {InvalidOutcomeError} `effect_invalid` */
export function say(text: string, options: SayOptions = {}): MessageSend {
  return build({ kind: 'message.send', text, ...options }) as MessageSend;
}

/**
 * A message of any length, as one send for each part that fits: cut between paragraphs, sentences or words, sent in
 * order. Each part counts as one of an outcome's effects. Without a template: one may stand for a message, not for each of its
 * parts.
 * @throws {InvalidOutcomeError} `effect_invalid`
 */
export function sayAll(text: string, options: Omit<SayOptions, 'template'> = {}): readonly MessageSend[] {
  return splitText(text, MESSAGE_TEXT_LIMIT).map((part) => say(part, options));
}

/** Closes the conversation. */
export function close(): Effect {
  return build({ kind: 'conversation.close' });
}

/**
 * Gives the conversation to people. `note` is for them, 1 to 4,096 characters; the customer never sees it. `team`: its name in
 * the CRM, at most 100; absent: whoever is there.
 * @throws {InvalidOutcomeError} `effect_invalid`
 */
export function handOff({ note, team }: { readonly note: string; readonly team?: string }): Effect {
  return build({ kind: 'conversation.handOff', note, ...(team === undefined ? {} : { team }) });
}

/** A private note in the conversation, 1 to 4,096 characters. @throws {InvalidOutcomeError} `effect_invalid` */
export function note(text: string): Effect {
  return build({ kind: 'note.add', text });
}

/**
 * Opens an investigation by this agent's own investigator, unless one with this signature is live: then it counts as an
 * occurrence of that one. `signature` names what was seen (`stockout:P-12`), without personal data; `summary` tells it to people,
 * 1 to 500 characters; `trigger` is what the investigator begins from.
 * @throws {InvalidOutcomeError} `effect_invalid`
 */
export function openInvestigation(of: {
  readonly signature: string;
  readonly summary: string;
  readonly trigger?: JsonObject;
}): Effect {
  return build({ kind: 'investigation.open', ...of });
}

function build(effect: EffectInput): Effect {
  return checkEffect(effect, '');
}
