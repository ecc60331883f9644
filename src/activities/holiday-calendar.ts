/**
 * Public and bank holidays of the world's countries, from `date-holidays` (docs/decisions/0008): 20 MB in memory and a
 * fifth of a second to load, so it is loaded when the first country is asked for and not before.
 */
import type Holidays from 'date-holidays';

type HolidayData = InstanceType<typeof Holidays>;

export interface HolidayCalendar {
  /** Is there a calendar for `BR`, or for the part `DE-BY`? */
  knows(country: string): Promise<boolean>;
  /** Dates `YYYY-MM-DD` of the years that these two dates lie in, sorted; none for a country it does not know. */
  between(country: string, from: string, to: string): Promise<readonly string[]>;
}

/** Days on which offices are shut; the others (`optional`, `school`, `observance`) are working days. */
const OFFICES_SHUT: ReadonlySet<string> = new Set(['public', 'bank']);
const HOUR_MS = 3_600_000;

export function createHolidayCalendar(): HolidayCalendar {
  const years = new Map<string, readonly string[]>();

  async function datesOf(country: string, year: number): Promise<readonly string[]> {
    const key = `${country}/${year}`;
    const known = years.get(key);
    if (known !== undefined) return known;
    const dates = [...new Set((await load(country)).getHolidays(year).flatMap(shutDays))].sort();
    years.set(key, dates);
    return dates;
  }

  return {
    async knows(country) {
      const [nation = '', part] = country.split('-');
      const all = await load();
      if (!(nation in all.getCountries())) return false;
      // Undefined for a country without parts, whatever its type says.
      const parts = all.getStates(nation) as Readonly<Record<string, string>> | undefined;
      return part === undefined || (parts !== undefined && part in parts);
    },
    async between(country, from, to) {
      const [first, last] = [Number(from.slice(0, 4)), Number(to.slice(0, 4))];
      const found = await Promise.all(Array.from({ length: last - first + 1 }, (_, n) => datesOf(country, first + n)));
      return found.flat();
    },
  };
}

async function load(country?: string): Promise<HolidayData> {
  const { default: Calendar } = await import('date-holidays');
  const [nation, part] = country?.split('-') ?? [];
  if (nation === undefined) return new Calendar();
  return part === undefined ? new Calendar(nation) : new Calendar(nation, part);
}

/** The dates of which it takes twelve hours or more: an afternoon off, as on 24 December in Germany, is no holiday. */
function shutDays({ date, start, end, type }: ReturnType<HolidayData['getHolidays']>[number]): string[] {
  if (!OFFICES_SHUT.has(type)) return [];
  // `date` is the wall clock where it is kept, such as `2026-12-24 14:00:00`, perhaps with an offset behind it.
  const begins = Date.parse(`${date.slice(0, 10)}T${date.slice(11, 19)}Z`);
  const ends = begins + (end.getTime() - start.getTime());
  const days: string[] = [];
  for (let day = Date.parse(`${date.slice(0, 10)}T00:00:00Z`); day < ends; day += 24 * HOUR_MS) {
    const covered = Math.min(ends, day + 24 * HOUR_MS) - Math.max(begins, day);
    if (covered >= 12 * HOUR_MS) days.push(new Date(day).toISOString().slice(0, 10));
  }
  return days;
}
