/** Is a shipment late, and when will it be there: arithmetic on one record, a date, and what its customer has seen before. */
import { dayAfter, daysBetween } from '../../domain/days.ts';
import { localDate } from '../../domain/local-time.ts';
import type { ErpRecord } from '../../domain/schemas/erp-records.ts';

type Shipment = ErpRecord<'shipment'>;

export interface Tolerance {
  /** Days after the promised one: news of a delivery takes a day. */
  readonly graceDays: number;
  /** Days by which the carrier may expect it after the promise. */
  readonly forecastDays: number;
  /** Days under way without news of the carrier. */
  readonly silentDays: number;
  /** Days without news after which it is taken for lost. */
  readonly lostDays: number;
  /** From hand-over to the door, where the customer's own deliveries do not tell. */
  readonly transitDays: number;
}

interface Seen {
  readonly today: string;
  readonly timeZone: string;
  readonly tolerance: Tolerance;
}

export type Lateness = 'lost' | 'past the promised day' | 'expected after the promised day' | 'under way without news';

/** Null: it is not late, or it is over. */
export function latenessOf(shipment: Shipment, { today, timeZone, tolerance }: Seen): Lateness | null {
  const { status, promisedOn, expectedOn } = shipment;
  if (status === 'delivered' || status === 'cancelled') return null;
  if (status === 'lost') return 'lost';
  const silent = silentDaysOf(shipment, { today, timeZone });
  if (silent !== null && silent >= tolerance.lostDays) return 'lost';
  if (daysBetween(promisedOn, today) > tolerance.graceDays) return 'past the promised day';
  if (expectedOn !== null && daysBetween(promisedOn, expectedOn) > tolerance.forecastDays)
    return 'expected after the promised day';
  return silent !== null && silent >= tolerance.silentDays ? 'under way without news' : null;
}

/** Since the carrier's last news; null when it is not under way. */
export function silentDaysOf(
  { status, lastScanAt, shippedAt }: Shipment,
  { today, timeZone }: Pick<Seen, 'today' | 'timeZone'>,
): number | null {
  const last = lastScanAt ?? shippedAt;
  return status !== 'in_transit' || last === null ? null : daysBetween(localDate(last, timeZone), today);
}

/** A customer's latest deliveries that a usual time is taken from. */
export const LATEST_DELIVERIES = 20;

/** Calendar days this customer's deliveries took, the median of the latest; null when fewer than three are known. */
export function usualTransit(shipments: readonly Shipment[], timeZone: string): number | null {
  const taken = shipments
    .flatMap(({ shippedAt, deliveredAt }) =>
      shippedAt === null || deliveredAt === null
        ? []
        : [daysBetween(localDate(shippedAt, timeZone), localDate(deliveredAt, timeZone))],
    )
    .slice(-LATEST_DELIVERIES)
    .sort((a, b) => a - b);
  return taken.length < 3 ? null : (taken[Math.floor(taken.length / 2)] ?? null);
}

/** The day to tell the customer: the carrier's own while it lies ahead, else the usual time from now on. */
export function newDay(
  { expectedOn }: Pick<Shipment, 'expectedOn'>,
  { today, transit, isAnew }: { today: string; transit: number; isAnew: boolean },
): string {
  if (!isAnew && expectedOn !== null && expectedOn > today) return expectedOn;
  // One sent anew has to be packed first.
  return dayAfter(today, Math.max(1, transit) + (isAnew ? 1 : 0));
}
