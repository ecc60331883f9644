/** Times as providers tell them: WhatsApp and Chatwoot know whole seconds only. */

const SECOND_MS = 1_000;

/** The last instant that a told time may stand for: of a whole second its end, so that nobody is too late by rounding. */
export function latestMoment(told: string): string {
  const at = Date.parse(told);
  return new Date(at % SECOND_MS === 0 ? at + SECOND_MS - 1 : at).toISOString();
}
