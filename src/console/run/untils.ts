/** For how long something may be put off, by one choice. */
import type { WordKey } from '../words/words.ts';

const HOUR_MS = 3_600_000;

export interface Until {
  readonly words: WordKey;
  /** Counted from the moment it is asked. */
  readonly at: () => Date;
}

export const UNTILS = {
  hour: { words: 'acts.until.1h', at: () => new Date(Date.now() + HOUR_MS) },
  tomorrow: { words: 'acts.until.tomorrow', at: tomorrowMorning },
  week: { words: 'acts.until.week', at: () => new Date(Date.now() + 7 * 24 * HOUR_MS) },
} as const satisfies Readonly<Record<string, Until>>;
export type UntilName = keyof typeof UNTILS;

/** Nine o'clock of the viewer's tomorrow. */
function tomorrowMorning(): Date {
  const at = new Date();
  at.setDate(at.getDate() + 1);
  at.setHours(9, 0, 0, 0);
  return at;
}
