/** Is an invoice overdue, since when, and by how much: arithmetic on one record and a date. */
import { daysBetween } from '../../domain/days.ts';
import { localDate } from '../../domain/local-time.ts';
import type { ErpRecord, Money } from '../../domain/schemas/erp-records.ts';
import { less } from '../evidence.ts';

export interface Patience {
  /** Days after the due date before anybody is reminded: transfers take their time. */
  readonly graceDays: number;
  /** Days after a promised date. */
  readonly promiseGraceDays: number;
  /** Days after a reminder before the next. */
  readonly remindEveryDays: number;
  /** Part of the total that may be missing, 0 to 1: a bank's fee is no debt. */
  readonly tolerance: number;
}

export interface Overdue {
  readonly owed: Money;
  /** Since the due date. */
  readonly days: number;
  /** The day for which payment was promised and did not come. */
  readonly brokenPromise: string | null;
}

/** Null: nothing is to be done about it today. */
export function overdueOf(
  invoice: ErpRecord<'invoice'>,
  { today, timeZone, patience }: { readonly today: string; readonly timeZone: string; readonly patience: Patience },
): Overdue | null {
  const { status, total, paid, dueOn, promise, lastRemindedAt, isDisputed } = invoice;
  const owed = less(total, paid);
  if (status !== 'open' || isDisputed || owed.amount <= total.amount * patience.tolerance) return null;
  const since = (day: string): number => daysBetween(day, today);
  if (lastRemindedAt !== null && since(localDate(lastRemindedAt, timeZone)) < patience.remindEveryDays) return null;
  const days = since(dueOn);
  if (promise === null) return days < patience.graceDays ? null : { owed, days, brokenPromise: null };
  // A promise stands in place of the due date, for better and for worse.
  if (days <= 0 || since(promise.on) < patience.promiseGraceDays) return null;
  return { owed, days, brokenPromise: promise.on };
}
