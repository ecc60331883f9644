/**
 * What is going to be sold, and how long a delivery takes: arithmetic on what the ERP has written down, nothing else.
 *
 * Demand: units ordered a day over half a year, each day weighted by its age (half as much every six weeks), divided by
 * what its weekday usually sells. So an old habit fades, and a week that began on a Friday does not look like a boom. One
 * day counts at most six usual selling days: a single bulk order is no habit. Chance: the variance of a day is its
 * expectation times a dispersion, measured from the same days (1 would be customers who buy single units independently).
 *
 * Delivery: what the supplier promised, as if it had been seen three times, together with what its orders really took.
 */
import { dayAfter, daysBetween, weekdayOf } from '../../domain/days.ts';

/** Days of demand that are read. */
export const HISTORY_DAYS = 180;
export const HALF_LIFE_DAYS = 42;
export const BULK = 6;
/** A weekday's own habit counts as much as this many ordinary weeks when so many have been seen. */
const WEEKDAY_PRIOR_WEEKS = 6;
/** Fewer days than this say nothing of a week. */
const FEWEST_DAYS = 14;
export const PROMISE_COUNTS = 3;
/** Even a supplier who always came to the day may be off by this part of its lead time. */
const LEAST_SPREAD = 0.1;

export interface Demand {
  /** Units a day, the weekday aside. */
  readonly rate: number;
  /** Sunday to Saturday; 1 is a plain day. */
  readonly weekdays: readonly number[];
  /** Variance of a day over its expectation. */
  readonly dispersion: number;
  /** How many plain days the rate rests on: its own variance is that of a day, divided by this. */
  readonly days: number;
}

/** `days`: as the ERP answers, those without demand absent; `until`: the last whole day. Null: too little is known. */
export function demandOf(
  days: readonly { readonly on: string; readonly quantity: number }[],
  until: string,
): Demand | null {
  const first = days[0]?.on;
  if (first === undefined) return null;
  const usual = median(days.map(({ quantity }) => quantity));
  const sold = new Map(days.map(({ on, quantity }) => [on, Math.min(quantity, BULK * usual)]));
  const length = daysBetween(first, until) + 1;
  if (length < FEWEST_DAYS) return null;
  const series = Array.from({ length }, (_, n) => {
    const on = dayAfter(first, n);
    return { weekday: weekdayOf(on), quantity: sold.get(on) ?? 0, weight: 0.5 ** ((length - 1 - n) / HALF_LIFE_DAYS) };
  });
  const weekdays = weekdaysOf(series);
  const plain = (weekday: number): number => weekdays[weekday] ?? 1;
  const weight = sum(series.map((day) => day.weight * plain(day.weekday)));
  const rate = sum(series.map((day) => day.weight * day.quantity)) / weight;
  const spread = sum(series.map((day) => day.weight * (day.quantity - rate * plain(day.weekday)) ** 2));
  const dispersion = rate === 0 ? 1 : Math.min(20, Math.max(1, spread / (rate * weight)));
  return { rate, weekdays, dispersion, days: weight ** 2 / sum(series.map((day) => day.weight ** 2)) };
}

/** Each weekday's part of the week, drawn towards a plain day as long as few weeks have been seen. */
function weekdaysOf(series: readonly { readonly weekday: number; readonly quantity: number }[]): number[] {
  const mean = sum(series.map(({ quantity }) => quantity)) / series.length;
  return Array.from({ length: 7 }, (_, weekday) => {
    const of = series.filter((day) => day.weekday === weekday);
    const total = sum(of.map(({ quantity }) => quantity));
    return mean === 0 ? 1 : (total / mean + WEEKDAY_PRIOR_WEEKS) / (of.length + WEEKDAY_PRIOR_WEEKS);
  });
}

/** Units to be expected in so many days from `from` on. */
export function expected({ rate, weekdays }: Demand, from: string, days: number): number {
  const whole = Math.ceil(days);
  const each = Array.from({ length: whole }, (_, n) => weekdays[weekdayOf(dayAfter(from, n))] ?? 1);
  // The last day only in part.
  return rate * (sum(each) - (each.at(-1) ?? 0) * (whole - days));
}

export interface LeadTime {
  /** Calendar days. */
  readonly mean: number;
  readonly spread: number;
  /** Deliveries it rests on, the promise aside. */
  readonly seen: number;
}

export function leadTimeOf(promised: number, taken: readonly number[]): LeadTime {
  const mean = (PROMISE_COUNTS * promised + sum(taken)) / (PROMISE_COUNTS + taken.length);
  const variance = sum([...taken, promised].map((days) => (days - mean) ** 2)) / (taken.length + 1);
  return { mean, spread: Math.max(LEAST_SPREAD * mean, Math.sqrt(variance)), seen: taken.length };
}

export interface Need {
  /** Units. */
  readonly mean: number;
  /** Standard deviation: chance in the demand, in the delivery, and in our own knowledge of the rate. */
  readonly spread: number;
}

/** What will be asked for from `from` until a delivery ordered then is there, and `cover` days beyond. */
export function needOf(
  demand: Demand,
  { from, lead, cover = 0 }: { from: string; lead: LeadTime; cover?: number },
): Need {
  const mean = expected(demand, from, lead.mean + cover);
  const { rate, dispersion, days } = demand;
  const chance = dispersion * mean;
  const delivery = (rate * lead.spread) ** 2;
  const knowledge = rate === 0 ? 0 : mean ** 2 * (dispersion / (rate * days));
  return { mean, spread: Math.sqrt(chance + delivery + knowledge) };
}

/** How likely more than `position` is asked for (normal tail, Abramowitz and Stegun 26.2.17: off by less than 1e-7). */
export function riskOf({ mean, spread }: Need, position: number): number {
  if (spread === 0) return mean > position ? 1 : 0;
  const z = (position + 0.5 - mean) / spread;
  const t = 1 / (1 + 0.231_641_9 * Math.abs(z));
  const series =
    t * (0.319_381_53 + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
  const tail = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
  return z >= 0 ? tail : 1 - tail;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
