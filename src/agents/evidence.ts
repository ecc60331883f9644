/** What an investigator's steps bring back for people to check. */
import type { ErpKind, ErpRecord, ErpWhere, Money } from '../domain/schemas/erp-records.ts';
import type { Evidence } from '../domain/schemas/investigations.ts';
import type { ErpReads } from '../erp/erp.ts';

/** `source`: where it was read, or how it was reckoned. */
export function seen(asOf: string, source: string) {
  return (label: string, value: Evidence['value'], unit?: string): Evidence => ({
    ...{ label, value, source, asOf },
    ...(unit === undefined ? {} : { unit }),
  });
}

const PAGE = 200;

/** Every record that fits, at most `most` of them, in the order of their last change. @throws {ErpError} */
export async function readAll<Kind extends ErpKind>(
  erp: ErpReads,
  kind: Kind,
  { where, most = 2_000 }: { readonly where: ErpWhere<Kind>; readonly most?: number },
): Promise<readonly ErpRecord<Kind>[]> {
  const found: ErpRecord<Kind>[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await erp.list(kind, { where, cursor, limit: PAGE });
    found.push(...page.items);
    if (!page.hasMore || found.length >= most) return found;
    cursor = page.nextCursor;
  }
}

/** To one decimal: more would say more than is known. */
export function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

/** To two decimals: of what a person reckons on with. */
export function exact(value: number): number {
  return Math.round(value * 100) / 100;
}

/** A part of one, as it was configured, in per cent: `0.0075` → `0.75`. */
export function inPercent(part: number): number {
  return Number((100 * part).toPrecision(12));
}

/** What is owed and not yet paid, and the like: two amounts of one currency. */
export function less(one: Money, other: Money): Money {
  return { amount: one.amount - other.amount, currency: one.currency };
}
