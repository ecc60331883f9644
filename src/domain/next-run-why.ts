/**
 * Why a run is due when it is: one sentence, which the run carries and people are shown. It is also all that a run carries of
 * it, so `next-wake.ts` reads again the sentences that are made here; what an agent says in words of its own is known by its
 * wake-up. Runs carry such sentences for months: what is read must go on reading what an older version wrote.
 */

export const ATTACHED = 'attached';
export const FIRST_RUN = 'first run';
export const SPREAD_BY_JITTER = 'first run, spread by jitter';
export const ASKED_AT_ATTACH = 'first run, asked for at the attach';
/** Where the agent gave no reason of its own. */
export const ASKED_BY_AGENT = 'asked for by the agent';

const SNOOZED_BY = 'snoozed by ';
const FAILED = /^failed \d+ of \d+: /;
const POSTPONED = /^postponed, provider outage since (\S+): ([^]*)$/;

export function snoozedBy(actor: string): string {
  return `${SNOOZED_BY}${actor}`;
}

/** Who snoozed it; null: the sentence says something else. */
export function snoozerIn(why: string): string | null {
  return why.startsWith(SNOOZED_BY) ? why.slice(SNOOZED_BY.length) : null;
}

/** @param outage.since ISO-8601 UTC. */
export function postponedFor({ since, message }: { readonly since: string; readonly message: string }): string {
  return `postponed, provider outage since ${since}: ${message}`;
}

/** The outage it was postponed for; null: the sentence says something else. */
export function outageIn(why: string): { readonly since: string; readonly message: string } | null {
  const [, since, message] = POSTPONED.exec(why) ?? [];
  return since === undefined || message === undefined ? null : { since, message };
}

/** @param of.failures in a row, of as many as its policy allows. */
export function failedSo(of: {
  readonly failures: number;
  readonly allowed: number;
  readonly message: string;
}): string {
  return `failed ${of.failures} of ${of.allowed}: ${of.message}`;
}

/** Is it due for another try? */
export function isRetry(why: string): boolean {
  return FAILED.test(why);
}
