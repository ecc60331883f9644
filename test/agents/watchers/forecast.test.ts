import assert from 'node:assert/strict';
import { demandOf, expected, leadTimeOf, needOf, riskOf } from '../../../src/agents/stockout/forecast.ts';
import { bestOf, orderOf, type Source } from '../../../src/agents/stockout/supply.ts';
import { dayAfter, weekdayOf } from '../../../src/domain/days.ts';
import { eur } from '../../support/records.ts';

const UNTIL = '2026-11-28';
/** The same each day, or as told. */
const history = (days: number, quantityOn: (on: string, age: number) => number) =>
  Array.from({ length: days }, (_, n) => dayAfter(UNTIL, n + 1 - days))
    .map((on, n) => ({ on, quantity: quantityOn(on, days - 1 - n) }))
    .filter(({ quantity }) => quantity > 0);
const demand = (...of: Parameters<typeof history>) => demandOf(history(...of), UNTIL) ?? assert.fail('too little');
const near = (value: number, wanted: number, by: number) =>
  assert.ok(Math.abs(value - wanted) <= by, `${value}, not ${wanted}`);

describe('the forecast of a stock-out', () => {
  it('finds a steady rate, follows a change, and takes one bulk order for no habit', () => {
    near(demand(180, () => 4).rate, 4, 1e-9);
    assert.ok(demand(180, (_, age) => (age < 60 ? 6 : 2)).rate > 4);
    near(demand(180, (_, age) => (age === 20 ? 400 : 4)).rate, 4, 0.5);
  });

  it('knows that Fridays are strong, and says so of the days to come', () => {
    const shop = demand(180, (on) => (weekdayOf(on) === 5 ? 12 : 2));
    // Saturday 28 November is the last day: Friday is in five of the next six days, or in none.
    assert.ok(expected(shop, '2026-12-04', 1) > 3 * expected(shop, '2026-12-05', 1));
    near(expected(shop, '2026-11-29', 7), 24, 2);
  });

  it('says nothing of what has been sold for less than a fortnight, or never', () => {
    assert.equal(
      demandOf(
        history(10, () => 3),
        UNTIL,
      ),
      null,
    );
    assert.equal(demandOf([], UNTIL), null);
  });

  it('trusts a promise until deliveries tell otherwise', () => {
    assert.equal(leadTimeOf(10, []).mean, 10);
    near(
      leadTimeOf(
        10,
        Array.from({ length: 20 }, () => 16),
      ).mean,
      16,
      1,
    );
    assert.ok(leadTimeOf(10, [6, 14, 5, 16]).spread > leadTimeOf(10, [10, 10]).spread);
  });

  it('is certain of nothing: half a chance at the expected need, less with more on the shelf', () => {
    const need = needOf(
      demand(180, () => 4),
      { from: '2026-11-29', lead: leadTimeOf(10, []) },
    );
    near(need.mean, 40, 1e-6);
    near(riskOf(need, 39.5), 0.5, 1e-3);
    assert.ok(riskOf(need, 60) < 0.05 && riskOf(need, 20) > 0.9);
  });

  it('orders from the cheapest, the sooner of two as cheap, in whole packs', () => {
    const source = (id: string, cost: number, days: number): Source => ({
      ...{ offerId: id, supplierId: id, unitCost: eur(cost), minQuantity: 12, packSize: 6, promisedDays: days },
      lead: leadTimeOf(days, []),
    });
    assert.equal(
      bestOf([source('slow', 1_000, 20), source('soon', 1_010, 5), source('dear', 1_100, 1)])?.supplierId,
      'soon',
    );
    const order = { source: source('soon', 1_000, 10), from: '2026-11-29', cover: 30 };
    const { quantity } = orderOf(
      demand(180, () => 4),
      { ...order, position: 10 },
    );
    assert.ok(quantity % 6 === 0 && quantity >= 150 && quantity < 200, String(quantity));
    assert.equal(
      orderOf(
        demand(180, () => 4),
        { ...order, position: 10_000 },
      ).quantity,
      12,
    );
  });
});
