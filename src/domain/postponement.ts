/** What a provider's outage that outlasts a wake-up does to the next one. */
import { ms } from './durations.ts';

/** However long `retryAfter` is: a customer may be waiting. */
const LONGEST_MS = 5 * 60_000;

/** By how much the run is postponed, ms. */
export function postponedBy({ retryAfter }: { readonly retryAfter: string }): number {
  return Math.min(ms(retryAfter), LONGEST_MS);
}
