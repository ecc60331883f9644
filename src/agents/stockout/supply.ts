/** Who could deliver, for how much, and how long it takes; the choice among them; how much to order. */
import { daysBetween } from '../../domain/days.ts';
import { localDate } from '../../domain/local-time.ts';
import type { ErpRecord, Money } from '../../domain/schemas/erp-records.ts';
import type { ErpReads } from '../../erp/erp.ts';
import { readAll } from '../evidence.ts';
import { type Demand, type LeadTime, leadTimeOf, type Need, needOf } from './forecast.ts';

/** Deliveries a lead time is reckoned from: the latest. */
const LATEST_DELIVERIES = 20;
/** Suppliers within this much of the lowest price are as cheap: then the soonest is taken. */
export const AS_CHEAP = 1.02;
/** Standard deviations kept beside what is expected: some 95 % of deliveries then come in time. */
export const SAFETY = 1.65;

export interface Source {
  readonly offerId: string;
  readonly supplierId: string;
  readonly unitCost: Money;
  readonly minQuantity: number;
  readonly packSize: number;
  readonly promisedDays: number;
  readonly lead: LeadTime;
}

export interface Supply {
  readonly sources: readonly Source[];
  readonly openOrders: readonly { readonly id: string; readonly quantity: number; readonly expectedOn: string }[];
}

/** @throws {ErpError} */
export async function supplyOf(
  { erp, timeZone }: { readonly erp: ErpReads; readonly timeZone: string },
  productId: string,
  offers?: readonly ErpRecord<'offer'>[],
): Promise<Supply> {
  const [known, orders] = await Promise.all([
    offers ?? readAll(erp, 'offer', { where: { productId } }),
    readAll(erp, 'purchaseOrder', { where: { productId } }),
  ]);
  const sources = known.map(({ id, supplierId, unitCost, minQuantity, packSize, leadTimeDays }) => {
    const taken = orders
      .filter((order) => order.supplierId === supplierId && order.receivedAt !== null)
      .slice(-LATEST_DELIVERIES)
      .map(({ orderedAt, receivedAt }) =>
        daysBetween(localDate(orderedAt, timeZone), localDate(receivedAt ?? '', timeZone)),
      );
    const lead = leadTimeOf(leadTimeDays, taken);
    return { offerId: id, supplierId, unitCost, minQuantity, packSize, promisedDays: leadTimeDays, lead };
  });
  const openOrders = orders
    .filter(({ status }) => status === 'open')
    .map(({ id, lines, expectedOn }) => ({ id, quantity: quantityOf(lines, productId), expectedOn }));
  return { sources, openOrders };
}

function quantityOf(lines: ErpRecord<'purchaseOrder'>['lines'], productId: string): number {
  return lines.reduce((sum, line) => sum + (line.productId === productId ? line.quantity : 0), 0);
}

/** The cheapest a piece; among those as cheap, the soonest. Of several currencies only the first offer's is compared. */
export function bestOf(sources: readonly Source[]): Source | undefined {
  const comparable = sources.filter(({ unitCost }) => unitCost.currency === sources[0]?.unitCost.currency);
  const lowest = Math.min(...comparable.map(({ unitCost }) => unitCost.amount));
  return comparable
    .filter(({ unitCost }) => unitCost.amount <= lowest * AS_CHEAP)
    .sort((a, b) => a.lead.mean - b.lead.mean || a.unitCost.amount - b.unitCost.amount)[0];
}

export interface Order {
  readonly quantity: number;
  /** From today until `cover` days after the delivery. */
  readonly need: Need;
}

/** Enough for the delivery's time and `cover` days, with safety; in whole packs, never below the supplier's least. */
export function orderOf(
  demand: Demand,
  { source, from, cover, position }: { source: Source; from: string; cover: number; position: number },
): Order {
  const need = needOf(demand, { from, lead: source.lead, cover });
  const lacking = need.mean + SAFETY * need.spread - position;
  const quantity = Math.ceil(Math.max(lacking, source.minQuantity) / source.packSize) * source.packSize;
  return { quantity, need };
}
