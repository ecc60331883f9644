/** Amounts for people. */
import type { Money } from './schemas/erp-records.ts';

/** `{ amount: 123456, currency: 'EUR' }` → `€1,234.56`, as the console writes it: minor units, as many decimals as the currency has. */
export function shownMoney({ amount, currency }: Money): string {
  const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits);
}
