/**
 * Watches what will run out before a delivery that is ordered today could arrive, and proposes that order.
 *
 * In trouble is a product that is sold, of which what is free and on order (on hand − reserved + on order: the ERP's
 * stock level) is more likely than `alarmAt` to be less than what customers will ask for until a delivery is there.
 * How demand and delivery are reckoned: forecast.ts; which supplier and how much: supply.ts; the same in words:
 * reckoning.ts. What was not sold because there was none is not in the ERP: after long shortages the demand is taken
 * for too low.
 */
import { z } from 'zod';
import { dayAfter } from '../../domain/days.ts';
import { localDate } from '../../domain/local-time.ts';
import { shownMoney } from '../../domain/money.ts';
import { ErpId, type ErpRecord } from '../../domain/schemas/erp-records.ts';
import type { ErpReads } from '../../erp/erp.ts';
import { exact, rounded, seen } from '../evidence.ts';
import { defineInvestigator, dismiss } from '../investigate.ts';
import { defineWatcher, watching, type Trouble, type Watching } from '../watch.ts';
import { demandOf, HISTORY_DAYS, leadTimeOf, needOf, riskOf, type Demand } from './forecast.ts';
import { reckoning } from './reckoning.ts';
import { bestOf, orderOf, supplyOf } from './supply.ts';

const Config = z.strictObject({
  ...watching({ restFor: '3d' }),
  /** How likely a product must be to run out, 0 to 1. */
  alarmAt: z.number().min(0.05).max(0.95).default(0.35),
  /** What is ordered lasts for so many days beyond the delivery. */
  coverDays: z.int().min(1).max(365).default(30),
});
type Config = z.infer<typeof Config>;

const Trigger = z.object({ productId: ErpId });

/** No supplier's promise is looked up for what lasts this long anyway. */
const SAFE_DAYS = 60;
/** More than this many days of demand in one order is a risk of its own: a large least quantity, say. */
const MUCH_DAYS = 120;
/** An order that would be smaller by more than this part is not the one that was agreed to. */
const LESS_BY = 0.1;

interface Shelf {
  readonly today: string;
  readonly sku: string;
  readonly isActive: boolean;
  readonly onHand: number;
  readonly reserved: number;
  readonly onOrder: number;
}

const investigate = defineInvestigator({
  config: Config,
  trigger: Trigger,
  steps: {
    async demand({ erp, trigger: { productId }, tenant, now }) {
      const until = dayAfter(localDate(now, tenant.timeZone), -1);
      const days = (await demandFor(erp, [productId], until)).get(productId) ?? [];
      const demand = demandOf(days, until);
      const note = seen(now, `erp: orders of ${HISTORY_DAYS} days to ${until}, cancelled ones left out`);
      const evidence = [
        note('demand, each day weighted by its age and weekday', exact(demand?.rate ?? 0), 'pieces/day'),
        note(
          'ordered in those days',
          days.reduce((sum, { quantity }) => sum + quantity, 0),
          'pieces',
        ),
        note('first of them with an order', days[0]?.on ?? null),
        note('weekdays, Sunday to Saturday, a plain day being 1', demand?.weekdays.map(exact).join(' ') ?? null),
        note('dispersion of a day (variance over mean)', exact(demand?.dispersion ?? 1)),
        note('plain days that the demand rests on', exact(demand?.days ?? 0), 'days'),
      ];
      return { facts: { demand }, evidence };
    },
    async shelf({ erp, trigger: { productId }, tenant, now }) {
      const [product, level] = await Promise.all([erp.get('product', productId), erp.get('stock', productId)]);
      const { onHand, reserved, onOrder } = level ?? { onHand: 0, reserved: 0, onOrder: 0 };
      const facts: Shelf = {
        ...{ today: localDate(now, tenant.timeZone), sku: product?.sku ?? productId },
        ...{ isActive: product?.isActive ?? false, onHand, reserved, onOrder },
      };
      const note = seen(now, 'erp: stock level');
      return {
        facts,
        evidence: [
          note('on hand', onHand, 'pieces'),
          note('reserved', reserved, 'pieces'),
          note('on order', onOrder, 'pieces'),
        ],
      };
    },
    async supply({ erp, trigger: { productId }, tenant, now }) {
      const supply = await supplyOf({ erp, timeZone: tenant.timeZone }, productId);
      const note = seen(now, 'erp: offers, and purchase orders that were received');
      const evidence = supply.sources.flatMap(({ supplierId, unitCost, promisedDays, lead }) => [
        note(`price of ${supplierId}`, unitCost),
        note(`${supplierId} promises`, promisedDays, 'days'),
        note(`${supplierId} takes, by its promise and ${lead.seen} deliveries`, exact(lead.mean), 'days'),
        note(`${supplierId}: standard deviation of that`, exact(lead.spread), 'days'),
      ]);
      const open = supply.openOrders.map(({ id, quantity, expectedOn }) =>
        note(`open order ${id}, expected ${expectedOn}`, quantity, 'pieces'),
      );
      return { facts: supply, evidence: [...evidence, ...open].slice(0, 50) };
    },
  },
  propose({ config, trigger: { productId }, facts: { demand: known, shelf, supply } }) {
    const { demand } = known;
    const source = bestOf(supply.sources);
    if (!shelf.isActive) return dismiss('the product is not sold any more');
    if (demand === null) return dismiss('too little was sold to say what will be');
    if (source === undefined) return dismiss('no supplier offers it in the ERP');
    const position = shelf.onHand - shelf.reserved + shelf.onOrder;
    const need = needOf(demand, { from: shelf.today, lead: source.lead });
    const risk = riskOf(need, position);
    if (risk < config.alarmAt) return dismiss(`what there is will last: ${percent(risk)} likely to run out`);
    const order = orderOf(demand, { source, from: shelf.today, cover: config.coverDays, position });
    const { quantity } = order;
    const { supplierId, unitCost, minQuantity, packSize } = source;
    const cost = { amount: quantity * unitCost.amount, currency: unitCost.currency };
    const expectedOn = dayAfter(shelf.today, Math.ceil(source.lead.mean));
    return {
      summary:
        `${shelf.sku} (${productId}) is ${percent(risk)} likely to run out before a delivery could arrive: ${position} pieces are free or on order, ` +
        `${rounded(need.mean)} will be asked for in the ${rounded(source.lead.mean)} days it takes. Order ${quantity} from ${supplierId} for ${shownMoney(cost)}.`,
      method: reckoning({ shelf, demand, source, need, order, coverDays: config.coverDays }),
      actions: [
        {
          ...{
            step: 'order',
            kind: 'purchaseOrder.create',
            title: `Order ${quantity} × ${shelf.sku} from ${supplierId}`,
          },
          ...{ cost, risk: quantity > MUCH_DAYS * demand.rate ? 'medium' : 'low', supplierId, expectedOn },
          lines: [{ productId, quantity, unitCost }],
          restsOn: [
            { kind: 'stock', id: productId },
            { kind: 'offer', id: source.offerId },
          ],
        },
      ],
      preconditions: {
        quantity,
        openOrders: supply.openOrders.map(({ id, quantity: ordered }) => `${id}: ${ordered}`).sort(),
        offer: { supplierId, unitCost: unitCost.amount, currency: unitCost.currency, minQuantity, packSize },
      },
    };
  },
  // Each sale makes the right quantity greater, and more is not bought than was agreed to; one that is clearly smaller: goods have come.
  stillHolds: (changed) =>
    changed.every(({ name, before, after }) => name === 'quantity' && Number(after) >= (1 - LESS_BY) * Number(before)),
  async verify({ erp, results }) {
    const id = results.find(({ step }) => step === 'order')?.reference ?? '';
    const order = await erp.get('purchaseOrder', id);
    const ok = order !== undefined && order.status !== 'cancelled';
    return { ok, note: ok ? `${id} is ${order.status} in the ERP` : `the ERP has no open purchase order ${id}` };
  },
});

export const stockout = defineWatcher({
  ...{ key: 'stockout', version: 1, title: 'Stock-outs', config: Config, kind: 'stock', investigate },
  lists: [{}],
  // Demand and open orders change without the stock level.
  rereads: 'daily',
  judge: judgeStock,
});

async function judgeStock(of: Watching<Config>, levels: readonly ErpRecord<'stock'>[]): Promise<readonly Trouble[]> {
  const until = dayAfter(of.today, -1);
  const sold = await demandFor(
    of.erp,
    levels.map(({ productId }) => productId),
    until,
  );
  const troubles: Trouble[] = [];
  for (const level of levels) {
    const demand = demandOf(sold.get(level.productId) ?? [], until);
    if (demand !== null && (await isShort(of, level, demand)))
      troubles.push({
        id: level.productId,
        summary: `${level.productId} may run out: ${position(level)} pieces free or on order, ${rounded(demand.rate)} wanted a day`,
        trigger: { productId: level.productId },
      });
  }
  return troubles;
}

/** Cheap questions first: most products need none of the others. */
async function isShort(
  { config, erp, today, timeZone }: Watching<Config>,
  level: ErpRecord<'stock'>,
  demand: Demand,
): Promise<boolean> {
  const { productId } = level;
  const free = position(level);
  if (free > demand.rate * SAFE_DAYS) return false;
  const { items: offers } = await erp.list('offer', { where: { productId }, limit: 100 });
  const slowest = leadTimeOf(2 * Math.max(0, ...offers.map(({ leadTimeDays }) => leadTimeDays)), []);
  if (offers.length === 0 || riskOf(needOf(demand, { from: today, lead: slowest }), free) < config.alarmAt)
    return false;
  const source = bestOf((await supplyOf({ erp, timeZone }, productId, offers)).sources);
  if (source === undefined || riskOf(needOf(demand, { from: today, lead: source.lead }), free) < config.alarmAt)
    return false;
  return (await erp.get('product', productId))?.isActive === true;
}

function position({ onHand, reserved, onOrder }: ErpRecord<'stock'>): number {
  return onHand - reserved + onOrder;
}

async function demandFor(erp: ErpReads, productIds: readonly string[], until: string) {
  const found = await erp.demand({ productIds, from: dayAfter(until, 1 - HISTORY_DAYS), to: until });
  return new Map(found.map(({ productId, days }) => [productId, days]));
}

function percent(risk: number): string {
  return `${Math.round(100 * risk)} %`;
}
