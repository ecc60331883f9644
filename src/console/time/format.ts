/** Instants and lengths in words. All pure: the zone and the present are given. */
import type { Language } from '../words/say.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const viewerZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `en` alone would write dates the American way. */
const LOCALE = { en: 'en-GB', pt: 'pt-BR' } as const satisfies Record<Language, string>;

const formats = new Map<string, unknown>();

/** Made once: to make one takes a hundred times as long as to use it, and a list uses hundreds. */
function formatBy<Options, Format>(
  Made: new (locale: string, options: Options) => Format,
  locale: string,
  options: Options,
): Format {
  const key = `${Made.name} ${locale} ${JSON.stringify(options)}`;
  const format = (formats.get(key) as Format | undefined) ?? new Made(locale, options);
  formats.set(key, format);
  return format;
}

const dates = (locale: string, options: Intl.DateTimeFormatOptions) => formatBy(Intl.DateTimeFormat, locale, options);
const numbers = (locale: string, options: Intl.NumberFormatOptions) => formatBy(Intl.NumberFormat, locale, options);

/** Near: relative. This week: the day's name. Else the date. `at` and `now` in ms. */
export function nearly(at: number, now: number, language: Language, zone = viewerZone): string {
  const away = Math.abs(at - now);
  if (away < HOUR) return relative(at - now, language);
  const locale = LOCALE[language];
  const time = dates(locale, { hour: '2-digit', minute: '2-digit', timeZone: zone }).format(at);
  if (dayOf(at, zone) === dayOf(now, zone)) return time;
  if (away < 6 * DAY) return `${dates(locale, { weekday: 'short', timeZone: zone }).format(at)} ${time}`;
  const otherYear = new Date(at).getFullYear() !== new Date(now).getFullYear();
  return dates(locale, {
    day: 'numeric',
    month: 'short',
    ...(otherYear ? { year: 'numeric' } : {}),
    timeZone: zone,
  }).format(at);
}

const RELATIVE: Intl.RelativeTimeFormatOptions = { numeric: 'auto', style: 'short' };

/** `in 3 min`, `2 h ago`; `now` within 20 s. */
export function relative(ms: number, language: Language): string {
  const words = formatBy(Intl.RelativeTimeFormat, LOCALE[language], RELATIVE);
  const away = Math.abs(ms);
  if (away < 20 * SECOND) return words.format(0, 'second');
  if (away < MINUTE) return words.format(Math.round(ms / SECOND), 'second');
  if (away < HOUR) return words.format(Math.round(ms / MINUTE), 'minute');
  if (away < DAY) return words.format(Math.round(ms / HOUR), 'hour');
  return words.format(Math.round(ms / DAY), 'day');
}

/** With the second, the zone's name and UTC: what the pointer shows and what is copied. */
export function exactly(at: number, language: Language, zone = viewerZone): string {
  const local = dates(LOCALE[language], {
    dateStyle: 'full',
    timeStyle: 'medium',
    timeZone: zone,
  }).format(at);
  return `${local} (${cityOf(zone)}) · ${new Date(at).toISOString()}`;
}

/** Day, time and, when it is not the viewer's, the zone: `Tue, 1 Dec, 09:00 São Paulo`. */
export function fully(at: number, language: Language, zone = viewerZone): string {
  const text = dates(LOCALE[language], {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: zone,
  }).format(at);
  return zone === viewerZone ? text : `${text} ${cityOf(zone)}`;
}

/** To the second, for a timeline: days are headings there. */
export function clockTime(at: number, language: Language, zone = viewerZone): string {
  return dates(LOCALE[language], { timeStyle: 'medium', timeZone: zone }).format(at);
}

export function dayName(at: number, language: Language, zone = viewerZone): string {
  return dates(LOCALE[language], {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: zone,
  }).format(at);
}

/** `Mon, 30 Nov`. */
export function dayBriefly(at: number, language: Language, zone = viewerZone): string {
  return dates(LOCALE[language], {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: zone,
  }).format(at);
}

/** `29 Nov`: of a day as `2026-11-29`. */
export function shortDay(day: string, language: Language): string {
  return dates(LOCALE[language], { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(Date.parse(day));
}

/** `2026-11-29` in the zone: what is the same day there. */
export function dayOf(at: number, zone = viewerZone): string {
  return dates('en-CA', { dateStyle: 'short', timeZone: zone }).format(at);
}

/** `0.2 s`, `4 min`, `6 d`: how long, in its largest unit. */
export function lasting(ms: number, language: Language): string {
  const number = (value: number, digits = 0) =>
    numbers(LOCALE[language], { maximumFractionDigits: digits }).format(value);
  if (ms < MINUTE) return `${number(ms / SECOND, ms < 10 * SECOND ? 1 : 0)} s`;
  if (ms < HOUR) return `${number(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${number(ms / HOUR)} h`;
  return `${number(ms / DAY)} d`;
}

export function money(usd: number, language: Language): string {
  const digits = usd !== 0 && usd < 0.1 ? 3 : 2;
  return numbers(LOCALE[language], {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: digits === 3 ? 2 : digits,
    maximumFractionDigits: digits,
  }).format(usd);
}

/** An amount in its currency's smallest unit. */
export function price({ amount, currency }: { amount: number; currency: string }, language: Language): string {
  const words = numbers(LOCALE[language], { style: 'currency', currency });
  const digits = words.resolvedOptions().maximumFractionDigits ?? 2;
  return words.format(amount / 10 ** digits);
}

/** `America/Sao_Paulo` → `Sao Paulo`; `UTC` stays. */
export function cityOf(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
}

/** When a day (`2026-11-29`) begins in the zone; in a night when clocks change, within the hour. */
export function midnightOf(day: string, zone: string): number {
  const utc = Date.parse(`${day}T00:00:00Z`);
  const name = dates('en', { timeZone: zone, timeZoneName: 'longOffset' })
    .formatToParts(utc)
    .find(({ type }) => type === 'timeZoneName')?.value;
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name ?? '') ?? [];
  return utc - (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * MINUTE);
}
