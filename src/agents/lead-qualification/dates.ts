/** Dates as people write them in English, Portuguese and Spanish, on the contact's own calendar. */
import { dayAfter, weekdayOf } from '../../domain/days.ts';
import { plain, type Language } from '../language.ts';

const MONTHS: readonly (readonly string[])[] = [
  ['january', 'jan', 'janeiro', 'enero', 'ene'],
  ['february', 'feb', 'fevereiro', 'fev', 'febrero'],
  ['march', 'mar', 'marco', 'marzo'],
  ['april', 'apr', 'abril', 'abr'],
  ['may', 'maio', 'mai', 'mayo'],
  ['june', 'jun', 'junho', 'junio'],
  ['july', 'jul', 'julho', 'julio'],
  ['august', 'aug', 'agosto', 'ago'],
  ['september', 'sep', 'sept', 'setembro', 'set', 'septiembre', 'setiembre'],
  ['october', 'oct', 'outubro', 'out', 'octubre'],
  ['november', 'nov', 'novembro', 'noviembre'],
  ['december', 'dec', 'dezembro', 'dez', 'diciembre', 'dic'],
];
/** From Sunday. */
const DAYS: readonly (readonly string[])[] = [
  ['sunday', 'domingo'],
  ['monday', 'segunda', 'lunes'],
  ['tuesday', 'terca', 'martes'],
  ['wednesday', 'quarta', 'miercoles'],
  ['thursday', 'quinta', 'jueves'],
  ['friday', 'sexta', 'viernes'],
  ['saturday', 'sabado'],
];
const TODAY = ['today', 'hoje', 'hoy'];
const TOMORROW = ['tomorrow', 'amanha', 'manana'];

/**
 * The one date in a text, `YYYY-MM-DD`; null when there is none, or when it could be two (in English, `03/04` is March
 * to some and April to others). Without a year: the next such day. A weekday is the next one after today.
 */
export function dateIn(text: string, { today, language }: { today: string; language: Language }): string | null {
  const iso = /(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/.exec(text);
  if (iso !== null) return dateOf(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const numeric = /(?<!\d)(\d{1,2})[/.-](\d{1,2})(?:[/.-](\d{4}|\d{2}))?(?!\d)/.exec(text);
  if (numeric !== null) return fromNumbers(Number(numeric[1]), Number(numeric[2]), numeric[3], today, language);
  const words = plain(text).split(' ');
  return fromMonthName(words, today) ?? fromDayName(words, today);
}

/** A month or a weekday, written out: the short forms are words of their own somewhere. */
export function isDateName(word: string): boolean {
  return word.length > MAX_SHORT_NAME && [...MONTHS, ...DAYS].some((names) => names.includes(word));
}
const MAX_SHORT_NAME = 3;

function fromNumbers(
  first: number,
  second: number,
  year: string | undefined,
  today: string,
  language: Language,
): string | null {
  const monthFirst = language === 'en' && second > 12;
  if (language === 'en' && !monthFirst && first <= 12 && first !== second) return null;
  const [day, month] = monthFirst ? [second, first] : [first, second];
  return year === undefined
    ? nextOf(month, day, today)
    : dateOf(Number(year.length === 2 ? `20${year}` : year), month, day);
}

function fromMonthName(words: readonly string[], today: string): string | null {
  const at = words.findIndex((word) => monthOf(word) > 0);
  const month = monthOf(words[at] ?? '');
  if (month === 0) return null;
  const before = words.slice(0, at).filter((word) => word !== 'de' && word !== 'of');
  const after = words.slice(at + 1).filter((word) => word !== 'de' && word !== 'del' && word !== 'of');
  const day = dayNumber(before.at(-1)) ?? dayNumber(after[0]);
  if (day === undefined) return null;
  const year = after.find((word) => /^20\d\d$/.test(word));
  return year === undefined ? nextOf(month, day, today) : dateOf(Number(year), month, day);
}

function fromDayName(words: readonly string[], today: string): string | null {
  if (words.some((word) => TODAY.includes(word))) return today;
  const named = words.map((word) => DAYS.findIndex((names) => names.includes(word))).filter((day) => day >= 0);
  // "Mañana" is also the morning: a weekday beside it is what is meant.
  if (named.length === 0) return words.some((word) => TOMORROW.includes(word)) ? dayAfter(today, 1) : null;
  const [weekday] = named;
  if (named.length > 1 || weekday === undefined) return null;
  const ahead = (weekday - weekdayOf(today) + 7) % 7;
  return dayAfter(today, ahead === 0 ? 7 : ahead);
}

function monthOf(word: string): number {
  return MONTHS.findIndex((names) => names.includes(word)) + 1;
}

function dayNumber(word: string | undefined): number | undefined {
  const day = /^(\d{1,2})(?:st|nd|rd|th|o)?$/.exec(word ?? '')?.[1];
  return day === undefined ? undefined : Number(day);
}

function nextOf(month: number, day: number, today: string): string | null {
  const year = Number(today.slice(0, 4));
  const thisYear = dateOf(year, month, day);
  return thisYear !== null && thisYear >= today ? thisYear : dateOf(year + 1, month, day);
}

function dateOf(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.toISOString().slice(0, 10) : null;
}
