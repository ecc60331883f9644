/** Retry-After, in both forms that HTTP knows (RFC 9110, 10.2.3). */

const SECOND = 1_000;
/** Longest wait a header may impose: a mistyped one must not silence a conversation for a year. */
const LONGEST_WAIT_MS = 24 * 3_600 * SECOND;

/** Seconds or an HTTP date → ms from now; undefined when there is none that can be read. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null || header === '') return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * SECOND : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_WAIT_MS);
}
