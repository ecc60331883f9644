/** Amounts for people. */
import type { Money } from './schemas/erp-records.ts';

/** `{ amount: 123456, currency: 'EUR' }` → `1234.56 EUR`: from minor units, with as many decimals as the currency has. */
export function shownMoney({ amount, currency }: Money): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
}
