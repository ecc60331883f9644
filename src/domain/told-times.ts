/** Times as providers tell them: WhatsApp and Chatwoot know whole seconds only. */

const SECOND_MS = 1_000;

/**
 * When a fact that we come to know of now happened: as it was told, but not after now, whatever the clock of whoever tells it says.
 * Whole seconds stay whole, as a right clock would have told them. @param now ms since 1970
 */
export function happenedBy(now: number, told: string): string {
  const at = Date.parse(told);
  if (at <= now) return told;
  return new Date(at % SECOND_MS === 0 ? now - (now % SECOND_MS) : now).toISOString();
}

/** The last instant that a told time may stand for: of a whole second its end, so that nobody is too late by rounding. */
export function latestMoment(told: string): string {
  const at = Date.parse(told);
  return new Date(at % SECOND_MS === 0 ? at + SECOND_MS - 1 : at).toISOString();
}
