/** Which payments pay the same bill twice: rules over the payments of one supplier. */
import { daysBetween } from '../../domain/days.ts';
import type { ErpRecord } from '../../domain/schemas/erp-records.ts';

type Payment = ErpRecord<'payment'>;

export interface Nearness {
  /** Part by which two amounts may differ, 0 to 1: a discount, a fee. */
  readonly amountTolerance: number;
  /** Days between the two. */
  readonly withinDays: number;
}

/** Two that pay the same, the later one second, with what gave them away. */
export interface Twins {
  readonly first: Payment;
  readonly second: Payment;
  readonly why: string;
}

/** Money that leaves us, or has left: what is held or asked back somebody already looks after. */
const PAYS: readonly Payment['status'][] = ['scheduled', 'paid'];
/** Payments that follow each other in so many like distances are a standing order; in fewer days than these nobody has one. */
const STANDING_GAPS = 2;
const STANDING_SLACK_DAYS = 2;
const SHORTEST_STANDING_DAYS = 5;

/** Of one supplier's payments; each `second` at most once, with the nearest `first`. */
export function twinsAmong(payments: readonly Payment[], nearness: Nearness): readonly Twins[] {
  const out = payments
    .filter(({ direction, status }) => direction === 'out' && PAYS.includes(status))
    .sort((a, b) => (`${a.bookedOn} ${a.id}` < `${b.bookedOn} ${b.id}` ? -1 : 1));
  return out.flatMap((second, n) => {
    for (const first of out.slice(0, n).reverse()) {
      if (daysBetween(first.bookedOn, second.bookedOn) > nearness.withinDays) return [];
      const why = isNear(first, second, nearness) ? sameBill(first, second, out) : null;
      if (why !== null) return [{ first, second, why }];
    }
    return [];
  });
}

function isNear(a: Payment, b: Payment, { amountTolerance }: Nearness): boolean {
  if (a.amount.currency !== b.amount.currency) return false;
  return Math.abs(a.amount.amount - b.amount.amount) <= amountTolerance * Math.max(a.amount.amount, b.amount.amount);
}

/** Why two near payments are for one bill; null when they are for two. */
function sameBill(a: Payment, b: Payment, all: readonly Payment[]): string | null {
  if (a.purchaseOrderId !== null && b.purchaseOrderId !== null && a.purchaseOrderId !== b.purchaseOrderId) return null;
  if (areInstalments(a.reference, b.reference)) return null;
  if (a.purchaseOrderId !== null && a.purchaseOrderId === b.purchaseOrderId) return 'the same purchase order';
  const likeness = likenessOf(a.reference, b.reference);
  return likeness === null || isStanding(a, b, all) ? null : likeness;
}

/** `R-100 1/2` and `R-100 2/2`: two parts of one bill, on purpose. */
function areInstalments(one: string, other: string): boolean {
  const [a, b] = [one, other].map((reference) => /(\d+)\s*(?:\/|of|de|von)\s*(\d+)\s*$/i.exec(reference));
  return a != null && b != null && a[2] === b[2] && a[1] !== b[1];
}

/**
 * The same number typed otherwise: another prefix, blanks, small letters, leading zeros; or with one slip of the finger:
 * two digits swapped, one left out or doubled. Another last digit is another bill, since suppliers count upwards. Without
 * a number in either, the words have to be the same.
 */
function likenessOf(one: string, other: string): string | null {
  const [a, b] = [digitsOf(one), digitsOf(other)];
  if (a === '' && b === '') {
    const words = (reference: string): string => reference.toLowerCase().replace(/[^\p{L}]/gu, '');
    return words(one) !== '' && words(one) === words(other) ? 'the same words as reference' : null;
  }
  if (a === b) return 'the same number as reference';
  const isLong = Math.min(a.length, b.length) >= 4;
  return isLong && (isSwapped(a, b) || isLeftOut(a, b) || isLeftOut(b, a))
    ? 'references that differ by one slip'
    : null;
}

function digitsOf(reference: string): string {
  return reference.replace(/\D/g, '').replace(/^0+/, '');
}

function isSwapped(a: string, b: string): boolean {
  const at = firstDifference(a, b);
  return a.length === b.length && a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

/** Is `shorter` `longer` without one digit? */
function isLeftOut(longer: string, shorter: string): boolean {
  const at = firstDifference(longer, shorter);
  return longer.length === shorter.length + 1 && longer.slice(at + 1) === shorter.slice(at);
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

/** The cleaners each week under one contract's number: the pair's distance is that of others in their row. */
function isStanding(a: Payment, b: Payment, all: readonly Payment[]): boolean {
  const gap = daysBetween(a.bookedOn, b.bookedOn);
  if (gap < SHORTEST_STANDING_DAYS) return false;
  const row = all.filter(
    ({ amount, reference }) => amount.amount === b.amount.amount && likenessOf(reference, b.reference) !== null,
  );
  const alike = row.filter((one, n) => {
    const before = row[n - 1];
    return before !== undefined && Math.abs(daysBetween(before.bookedOn, one.bookedOn) - gap) <= STANDING_SLACK_DAYS;
  });
  // Two steps apart in such a row is no double either.
  const between = row.filter(({ bookedOn }) => bookedOn > a.bookedOn && bookedOn < b.bookedOn);
  return between.length > 0 || alike.length >= STANDING_GAPS;
}
