/** The hours and days on which a business speaks up by itself. Uses a polyfill of Temporal, so: never in a workflow. */
import { Temporal } from 'temporal-polyfill';
import { instantAt, nextLocal, type Weekday } from './local-time.ts';
import type { WorkingSpan } from './schemas/policy.ts';

const ISO_WEEKDAY: Readonly<Record<WorkingSpan['days'][number], Weekday>> = {
  ...{ mon: 1, tue: 2, wed: 3, thu: 4, fri: 5, sat: 6, sun: 7 },
};

/** Does `instant` lie in one of the spans, its beginning included and its end not? */
export function isWithinWorkingHours(instant: string, spans: readonly WorkingSpan[], zone: string): boolean {
  const now = Temporal.Instant.from(instant);
  const today = now.toZonedDateTimeISO(zone).toPlainDate();
  // A span may have begun yesterday.
  return [today, today.subtract({ days: 1 })].some((day) => spans.some((span) => holds(span, day, zone, now)));
}

/** The first instant strictly after `instant` at which a span begins. */
export function nextWorkingHours(instant: string, spans: readonly WorkingSpan[], zone: string): string {
  const starts = spans.map(({ days, from }) =>
    nextLocal(from, zone, { after: instant, weekdays: days.map((day) => ISO_WEEKDAY[day]) }),
  );
  return starts.reduce((first, start) => (start < first ? start : first));
}

/** The first instant of the next date on the calendars of `zone`. */
export function nextDay(instant: string, zone: string): string {
  const tomorrow = Temporal.Instant.from(instant).toZonedDateTimeISO(zone).toPlainDate().add({ days: 1 });
  return new Date(tomorrow.toZonedDateTime(zone).epochMilliseconds).toISOString();
}

function holds({ days, from, to }: WorkingSpan, day: Temporal.PlainDate, zone: string, now: Temporal.Instant): boolean {
  if (!days.some((name) => ISO_WEEKDAY[name] === day.dayOfWeek)) return false;
  const begins = instantAt(day.toPlainDateTime(from), zone);
  const ends = instantAt((to <= from ? day.add({ days: 1 }) : day).toPlainDateTime(to), zone);
  return Temporal.Instant.compare(begins, now) <= 0 && Temporal.Instant.compare(now, ends) < 0;
}
