/**
 * Reads a sentence that the server wrote and says it in Portuguese. The API tells English and the desk keeps English, so the
 * English sentence is the key: the pair that it fits tells its words from what was filled in. In a pair `{name}` is
 * filled in as it stands, `{#name}` is a figure, written as Portuguese writes it, and `{@name}` is a sentence of ours where it
 * is one. What fits no pair was written by a person, an agent, a provider or another version, and is left alone. Pure.
 */
import type { Entry } from '../entry.ts';

/** Undefined: it is none of ours. */
type Reader = (text: string) => string | undefined;

export interface Readers {
  /** One sentence, whole. */
  readonly one: Reader;
  /** Also with a name before it, or several strung together, of which those that are ours are read. */
  readonly any: Reader;
}

const PLACE = /\{([@#]?)(\w+)\}/g;
/** A name before a sentence of ours: the field, the step or the class of the error that it is about. */
const NAMED = /^([\w.-]+): ([^]+)$/;
/** Nothing that we say is longer. */
const LONGEST = 4_000;
/** How sentences are strung together. */
const BETWEEN = ['; ', '. '];

interface Template {
  readonly literals: readonly string[];
  readonly places: readonly { readonly kind: string; readonly name: string }[];
  readonly portuguese: string;
}

/** @param otherwise says what was to be a sentence of ours within another, and is none. */
export function readersOf(pairs: readonly Entry[], otherwise = (text: string): string => text): Readers {
  const whole = new Map<string, string>();
  const templates: Template[] = [];
  for (const [english, portuguese] of pairs)
    if (english.includes('{')) templates.push(templateOf(english, portuguese));
    else whole.set(english, portuguese);
  // Of two that fit, the one that begins in more words of its own: in the other, they were filled in. Then the one that says more.
  templates.sort((a, b) => beginningOf(b) - beginningOf(a) || sizeOf(b) - sizeOf(a));

  const one: Reader = (text) => {
    const found = whole.get(text);
    if (found !== undefined) return found;
    for (const template of templates) {
      const values = isPossible(template, text) ? valuesIn(template, text) : undefined;
      if (values !== undefined) return filled(template, values, (value) => any(value) ?? otherwise(value));
    }
    return undefined;
  };
  const any: Reader = (text) =>
    text.length > LONGEST ? undefined : (one(text) ?? named(text, any) ?? several(text, any));
  return { one, any };
}

function templateOf(english: string, portuguese: string): Template {
  const literals = english.split(PLACE).filter((_, n) => n % 3 === 0);
  const places = [...english.matchAll(PLACE)].map(([, kind = '', name = '']) => ({ kind, name }));
  return { literals, places, portuguese };
}

function beginningOf({ literals: [first = ''] }: Template): number {
  return first.length;
}

function sizeOf({ literals }: Template): number {
  return literals.reduce((sum, { length }) => sum + length, 0);
}

/** Are its words there, in their order? Cheap, and true of few. */
function isPossible({ literals }: Template, text: string): boolean {
  let at = text.startsWith(literals[0] ?? '') ? 0 : -1;
  for (const literal of literals) {
    if (at < 0) return false;
    const found = text.indexOf(literal, at);
    at = found < 0 ? -1 : found + literal.length;
  }
  return at >= 0;
}

/**
 * What is filled in at each place, as little as fits. What did not lead on from somewhere is not tried from there again: a
 * text in which our words come again and again would else be read for minutes.
 */
function valuesIn({ literals, places }: Template, text: string): readonly string[] | undefined {
  const failed = new Set<number>();
  const from = (n: number, at: number): readonly string[] | undefined => {
    const place = places[n];
    if (place === undefined) return at === text.length ? [] : undefined;
    const state = at * places.length + n;
    if (failed.has(state)) return undefined;
    const next = literals[n + 1] ?? '';
    for (let end = text.indexOf(next, at); end >= 0; end = end < text.length ? text.indexOf(next, end + 1) : -1) {
      const value = text.slice(at, end);
      const others = isFilling(place.kind, value) ? from(n + 1, end + next.length) : undefined;
      if (others !== undefined) return [value, ...others];
    }
    failed.add(state);
    return undefined;
  };
  return from(0, literals[0]?.length ?? 0);
}

function isFilling(kind: string, value: string): boolean {
  if (kind === '#') return /\d/.test(value) && !value.includes(' ');
  return kind === '@' || value !== '';
}

function filled({ places, portuguese }: Template, values: readonly string[], read: (text: string) => string): string {
  return portuguese.replace(/\{(\w+)\}/g, (_, wanted: string) => {
    const n = places.findIndex(({ name }) => name === wanted);
    const value = values[n] ?? '';
    if (places[n]?.kind === '#') return figure(value);
    return places[n]?.kind === '@' ? read(value) : value;
  });
}

/** `€1,234.56` → `€1.234,56` */
function figure(text: string): string {
  return text.replace(/[.,](?=\d)/g, (mark) => (mark === '.' ? ',' : '.'));
}

function named(text: string, read: Reader): string | undefined {
  const [, name = '', rest = ''] = NAMED.exec(text) ?? [];
  const said = rest === '' ? undefined : read(rest);
  return said === undefined ? undefined : `${name}: ${said}`;
}

function several(text: string, read: Reader): string | undefined {
  for (const between of BETWEEN) {
    const parts = text.split(between);
    const said = parts.length === 1 ? [] : parts.map((part) => read(part));
    if (said.some((part) => part !== undefined)) return parts.map((part, n) => said[n] ?? part).join(between);
  }
  return undefined;
}
