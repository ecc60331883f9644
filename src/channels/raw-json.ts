/** JSON from strangers: read from raw bytes, and made fit for a database. */
import { isDeeperThan, storable, storableText } from '../domain/storable.ts';

export type ReadJson =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

/** No webhook we know nests deeper than 15; recursion over what a stranger sends must have an end. */
const MAX_DEPTH = 60;

/** Bytes as text that can be stored, whatever they are: for dead letters. */
export function storableBody(bytes: Uint8Array): string {
  return storableText(new TextDecoder('utf-8').decode(bytes));
}

/** Parses UTF-8 JSON; every string in the answer can be stored. Never throws. */
export function readJson(source: Uint8Array | string): ReadJson {
  let parsed: unknown;
  try {
    parsed = JSON.parse(typeof source === 'string' ? source : new TextDecoder('utf-8').decode(source));
  } catch (cause) {
    return { ok: false, problem: `not JSON: ${cause instanceof Error ? cause.message.slice(0, 200) : 'unreadable'}` };
  }
  if (isDeeperThan(parsed, MAX_DEPTH)) return { ok: false, problem: `nested deeper than ${MAX_DEPTH} levels` };
  return { ok: true, value: storable(parsed) };
}
