/** Waiting for a thing instead of hoping for it. */
import { setTimeout as sleep } from 'node:timers/promises';

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [20, 150];
/** Says that something never came; no test asserts how soon. Below the time-out of system tests, so that it is this that speaks. */
const GIVE_UP_MS = 100_000;

/** The first answer that is neither undefined nor false; `patienceMs` is for trials that take minutes. @throws {Error} naming `what`, with the last answer it got. */
export async function until<Found>(
  what: string,
  look: () => Promise<Found | undefined | false> | Found | undefined | false,
  patienceMs = GIVE_UP_MS,
): Promise<Found> {
  const began = Date.now();
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    const waited = Date.now() - began;
    if (waited > patienceMs) throw new Error(`waited in vain for ${what}`);
    // The rarer the longer it takes: each look is work for what is waited for.
    await sleep(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS + waited / 10));
  }
}
