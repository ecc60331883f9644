/** How the numbers of a stock-out's proposal were reached, with the numbers: each line can be done again on the evidence. */
import { exact } from '../evidence.ts';
import { BULK, type Demand, HALF_LIFE_DAYS, HISTORY_DAYS, type Need, PROMISE_COUNTS } from './forecast.ts';
import { AS_CHEAP, type Order, SAFETY, type Source } from './supply.ts';

export interface Reckoned {
  readonly shelf: {
    readonly today: string;
    readonly onHand: number;
    readonly reserved: number;
    readonly onOrder: number;
  };
  readonly demand: Demand;
  readonly source: Source;
  /** Until the delivery. */
  readonly need: Need;
  readonly order: Order;
  readonly coverDays: number;
}

export function reckoning({ shelf, demand, source, need, order, coverDays }: Reckoned): string {
  const { onHand, reserved, onOrder, today } = shelf;
  const { lead, minQuantity, packSize } = source;
  const free = onHand - reserved + onOrder;
  const [rate, mean, dispersion] = [exact(demand.rate), exact(need.mean), exact(demand.dispersion)];
  const parts = exact(need.mean / demand.rate);
  const { need: whole } = order;
  return [
    `Free = on hand − reserved + on order = ${onHand} − ${reserved} + ${onOrder} = ${free}.`,
    `Demand = ${rate} a day: orders of ${HISTORY_DAYS} days, half weight each ${HALF_LIFE_DAYS / 7} weeks, weekdays evened out, a day counted as ${BULK} usual ones at most.`,
    `Delivery = ${exact(lead.mean)} days: what its ${lead.seen} latest took, and the promise as if seen ${PROMISE_COUNTS} times.`,
    `Wanted until then = ${rate} × ${parts} (the days from ${today} on, each as its weekday’s part of a plain day) = ${mean},`,
    `with a standard deviation of √(${dispersion} × ${mean} + (${rate} × ${exact(lead.spread)})² + ${mean}² × ${dispersion} ÷ (${rate} × ${exact(demand.days)})) = ${exact(need.spread)}:`,
    'chance, the delivery, how well the demand is known.',
    `Likely to run out = the part of that normal distribution above free + ½.`,
    `Quantity = ${exact(whole.mean)} wanted until ${coverDays} days after the delivery + ${SAFETY} × ${exact(whole.spread)} (the same two, for these days) − ${free} = ${exact(whole.mean + SAFETY * whole.spread - free)},`,
    `in packs of ${packSize}, at least ${minQuantity}. Supplier: the lowest price; within ${exact(100 * (AS_CHEAP - 1))} % of it the soonest.`,
  ].join(' ');
}
