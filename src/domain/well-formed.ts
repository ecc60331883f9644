/** What a database takes as text: PostgreSQL stores neither NUL nor half of a surrogate pair, and JSON may hold both. */

/** Without NUL, and with U+FFFD in place of a lone surrogate, so that nothing is lost for one character. */
export function wellFormed(text: string): string {
  return text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\uFFFD');
}
