/** Lengths of time as people write them. Plain arithmetic: safe inside workflows. */
import { InvalidInputError } from './errors.ts';

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION_PATTERN = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;

export const DURATION_RULE = 'a length of time such as "90s", "5m", "6h", "1h30m" or "2d"';

/** Milliseconds of `"1h30m"`, or undefined when the text is no duration. A day is 24 hours. */
export function durationMs(text: string): number | undefined {
  if (!DURATION_PATTERN.test(text)) return undefined;
  let total = 0;
  for (const [, amount = '0', unit = 'ms'] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    total += Number(amount) * UNITS[unit as keyof typeof UNITS];
  return Number.isSafeInteger(Math.round(total)) ? Math.round(total) : undefined;
}

/** @throws {InvalidInputError} naming the field. */
export function parseDuration(text: string, field: string): number {
  const ms = durationMs(text);
  if (ms === undefined) throw new InvalidInputError([{ path: field, message: `must be ${DURATION_RULE}` }]);
  return ms;
}

/** `5400000` → `1h 30m`: the two largest units, for people. */
export function formatDuration(ms: number): string {
  const parts: string[] = [];
  let rest = Math.max(0, Math.round(ms / 1000) * 1000);
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    const amount = Math.floor(rest / UNITS[unit]);
    rest -= amount * UNITS[unit];
    if (amount > 0 && parts.length < 2) parts.push(`${amount}${unit}`);
  }
  return parts.join(' ') || '0s';
}

/** Milliseconds of a duration that a schema has already accepted. */
export function ms(duration: string): number {
  return durationMs(duration) ?? 0;
}
