/**
 * Wall-clock arithmetic, in IANA zones. Uses a polyfill of Temporal (the date library), so: never in a workflow.
 * One rule throughout: a local time that does not exist that day means the first instant after the gap, one that
 * exists twice means the first; so a daily time happens once on every local day.
 */
import { Temporal } from 'temporal-polyfill';
import type { DaySpan } from './schemas/policy.ts';

/** ISO weekday: 1 is Monday, 7 is Sunday. */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7;
export const WORKING_DAYS: readonly Weekday[] = [1, 2, 3, 4, 5];

/** A week, once more for a date that a zone skipped (Apia had no 30 December 2011), and the day itself. */
const DAYS_TO_LOOK_AT = 15;

/**
 * The next instant, always strictly after `after`, at which the clocks of `zone` show `time` (`HH:MM`) on one of
 * `weekdays` (default: any day). `after` defaults to now. ISO-8601 UTC with milliseconds.
 * @throws {RangeError} for a time, zone or instant that is none, or no weekdays at all.
 */
export function nextLocal(
  time: string,
  zone: string,
  { after, weekdays }: { after?: string; weekdays?: readonly Weekday[] } = {},
): string {
  const wallTime = Temporal.PlainTime.from(time);
  const start = after === undefined ? Temporal.Now.instant() : Temporal.Instant.from(after);
  const today = start.toZonedDateTimeISO(zone).toPlainDate();
  for (let days = 0; days < DAYS_TO_LOOK_AT; days++) {
    const date = today.add({ days });
    if (weekdays !== undefined && !weekdays.some((day) => day === date.dayOfWeek)) continue;
    if (!date.toZonedDateTime(zone).toPlainDate().equals(date)) continue;
    const instant = instantAt(date.toPlainDateTime(wallTime), zone);
    if (Temporal.Instant.compare(instant, start) > 0) return new Date(instant.epochMilliseconds).toISOString();
  }
  throw new RangeError('weekdays must name at least one day, 1 (Monday) to 7 (Sunday)');
}

/**
 * Does `instant` lie in the span, its beginning included and its end not? A span that begins has begun until its end
 * comes round: on the night when clocks go back, 01:10 after an end at 01:30 is outside. `from` = `to` holds nothing.
 */
export function isWithinDaySpan(instant: string, span: DaySpan, zone: string): boolean {
  return (
    Date.parse(nextLocal(span.to, zone, { after: instant })) <
    Date.parse(nextLocal(span.from, zone, { after: instant }))
  );
}

/** When the span that holds `instant` ends: the first instant outside it. Ask {@link isWithinDaySpan} first. */
export function endOfSpan(instant: string, span: DaySpan, zone: string): string {
  return nextLocal(span.to, zone, { after: instant });
}

/** When the clocks of `zone` show it, by the rule above. */
export function instantAt(wallClock: Temporal.PlainDateTime, zone: string): Temporal.Instant {
  const resolved = wallClock.toZonedDateTime(zone, { disambiguation: 'compatible' });
  if (resolved.toPlainDateTime().equals(wallClock)) return resolved.toInstant();
  const gap = wallClock.toZonedDateTime(zone, { disambiguation: 'earlier' }).getTimeZoneTransition('next');
  return (gap ?? resolved).toInstant();
}

/** When the clocks of `zone` show `time` (`HH:MM`), so many `days` before the date that they show at `instant`. ISO-8601 UTC. */
export function localDaysBefore(
  instant: string,
  { days, time, zone }: { readonly days: number; readonly time: string; readonly zone: string },
): string {
  const date = Temporal.Instant.from(instant).toZonedDateTimeISO(zone).toPlainDate().subtract({ days });
  const at = instantAt(date.toPlainDateTime(Temporal.PlainTime.from(time)), zone);
  return new Date(at.epochMilliseconds).toISOString();
}

/** The date on the calendars of `zone` at `instant`, `YYYY-MM-DD`. */
export function localDate(instant: string, zone: string): string {
  return Temporal.Instant.from(instant).toZonedDateTimeISO(zone).toPlainDate().toString();
}
