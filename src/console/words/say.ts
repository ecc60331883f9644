/**
 * What the console says, in every language it speaks. An entry is a pair, so that no word can lack its translation;
 * `{name}` is filled in. Entries that count end in `.one` and `.other`.
 */
import { actWords } from './act-words.ts';
import type { Entry } from './entry.ts';
import { frameWords } from './frame-words.ts';
import { investigationWords } from './investigation-words.ts';
import { recordWords } from './record-words.ts';
import { runWords } from './run-words.ts';
import { screenWords } from './screen-words.ts';
import { statusWords } from './status-words.ts';
import { wakeWords } from './wake-words.ts';

export const LANGUAGES = ['en', 'pt'] as const;
export type Language = (typeof LANGUAGES)[number];
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', pt: 'Português' };

const CATALOGUE = {
  ...frameWords,
  ...statusWords,
  ...runWords,
  ...recordWords,
  ...actWords,
  ...screenWords,
  ...investigationWords,
  ...wakeWords,
} as const satisfies Readonly<Record<string, Entry>>;

export type WordKey = keyof typeof CATALOGUE;
type CountedKey = WordKey extends infer Key ? (Key extends `${infer Stem}.one` ? Stem : never) : never;
type Values = Readonly<Record<string, string | number>>;

export interface Say {
  (key: WordKey, values?: Values): string;
  /** A sentence that the server wrote, in this language; as it came, where it is none of ours or nobody taught its words. */
  told(text: string): string;
  /** The entry for so many: `{n}` is the number. */
  count(key: CountedKey, n: number, values?: Values): string;
  readonly language: Language;
}

/** Undefined: it is none of ours. */
type Reader = (text: string) => string | undefined;

const speakers: Partial<Record<Language, Say>> = {};
const listeners = new Set<() => void>();

/** The same for the same language, as long as nothing is taught. */
export function sayIn(one: Language): Say {
  return (speakers[one] ??= speaker(one));
}

/** From now on the server's sentences are said so in this language, by a new `Say`. */
export function teach(one: Language, read: Reader): void {
  speakers[one] = speaker(one, read);
  for (const listener of listeners) listener();
}

/** Tells when a language has been taught something. @returns how to be told no more. */
export function onTaught(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function speaker(spoken: Language, read: Reader = () => undefined): Say {
  const place = LANGUAGES.indexOf(spoken);
  const plural = new Intl.PluralRules(spoken);
  const number = new Intl.NumberFormat(spoken);
  const say = (key: WordKey, values: Values = {}): string =>
    (CATALOGUE[key][place] ?? '').replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name];
      return typeof value === 'number' ? number.format(value) : (value ?? '');
    });
  const count = (key: CountedKey, n: number, values: Values = {}) =>
    say(`${key}.${plural.select(n) === 'one' ? 'one' : 'other'}` as WordKey, { n, ...values });
  return Object.assign(say, { count, told: (text: string) => read(text) ?? text, language: spoken });
}

/** What holds an effect back or stopped it: a rule of contact, why its run ended, or a provider's failure with its code. */
export function sayHeld(say: Say, rule: string): string {
  const [, failure, code] = /^(\w+): ([^]+)$/.exec(rule) ?? [];
  if (failure !== undefined) return `${sayHeld(say, failure)} (${say.told(code ?? '')})`;
  return sayOr(say, `held.${rule}` in CATALOGUE ? `held.${rule}` : `reason.${rule}`, rule);
}

/** What a re-send came to. One whose first had arrived was refused, but the customer has the message. */
export function sayEffectState(say: Say, effect: { readonly state: string; readonly reason: string | null }): string {
  const { state, reason } = effect;
  return sayOr(say, `effect.state.${reason === 'arrived' ? reason : state}`, state);
}

/** What was said of an act or an end: a person's words stay as they are. */
export function sayComment(say: Say, actor: string | null, comment: string): string {
  return actor === null || actor === 'system' || actor === 'agent' ? say.told(comment) : comment;
}

/** A word for what the server may name and this console may not know yet: then its own name, readable. */
export function sayOr(say: Say, key: string, otherwise: string): string {
  return key in CATALOGUE ? say(key as WordKey) : otherwise.replaceAll(/[_.]/g, ' ');
}
