/** What may cross a wire: nothing a payload converter would bend (no Date, Map, BigInt, undefined in arrays). */
export type Json = string | number | boolean | null | Json[] | JsonObject;
/** A key that is undefined is a key that is absent: JSON drops it. */
export type JsonObject = { [key: string]: Json | undefined };

/** What a text holds as JSON; undefined: it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
