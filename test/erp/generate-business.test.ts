import assert from 'node:assert/strict';
import { ERP_RECORDS, type ErpKind, type ErpRecord } from '../../src/domain/schemas/erp-records.ts';
import type { Business } from '../../src/erp/demo/business/business.ts';
import { generateBusiness } from '../../src/erp/demo/business/generate-business.ts';
import { daysBetween } from '../../src/domain/days.ts';

const UNTIL = '2026-11-29';
const MANY = {
  stockouts: 5,
  overdueInvoices: 12,
  stalledDeals: 12,
  duplicatePayments: 9,
  lateShipments: 12,
  nearMisses: 12,
};

describe('generateBusiness', () => {
  const business = generateBusiness({ seed: 7, until: UNTIL, plants: MANY });
  const of = <Kind extends ErpKind>(kind: Kind, { records }: Business = business): ErpRecord<Kind>[] =>
    records.flatMap((one) => (one.kind === kind ? [one.record as ErpRecord<Kind>] : []));
  const labelled = (trouble: string) =>
    business.labels.troubles
      .filter((label) => label.trouble === trouble)
      .map(({ id }) => id)
      .sort();

  it('makes records that fit their schemas, the same for the same seed, others for another', () => {
    for (const { kind, record } of business.records) ERP_RECORDS[kind].parse(record);
    const small = { until: UNTIL, size: 'small' } as const;
    assert.deepEqual(generateBusiness({ ...small, seed: 'a' }), generateBusiness({ ...small, seed: 'a' }));
    assert.notDeepEqual(generateBusiness({ ...small, seed: 'a' }), generateBusiness({ ...small, seed: 'b' }));
  });

  it('makes a year of a small shop, stronger on Fridays than on Sundays', () => {
    assert.deepEqual([of('product').length, of('supplier').length, of('customer').length], [60, 11, 150]);
    const orders = of('order');
    assert.ok(orders.length > 1_500 && orders.length < 5_000, String(orders.length));
    const on = (weekday: number) => orders.filter(({ placedAt }) => new Date(placedAt).getUTCDay() === weekday).length;
    assert.ok(on(5) > 2 * on(0), `${on(5)} ${on(0)}`);
    assert.ok(business.records.every(({ record }) => record.changedAt.slice(0, 10) <= UNTIL));
  });

  it('keeps its books straight: paid is the sum of payments, on order the sum of open orders, nothing below zero', () => {
    const paid = new Map<string, number>();
    for (const { invoiceId, amount } of of('payment'))
      if (invoiceId !== null) paid.set(invoiceId, (paid.get(invoiceId) ?? 0) + amount.amount);
    for (const { id, paid: booked, total, status } of of('invoice')) {
      assert.equal(booked.amount, paid.get(id) ?? 0);
      if (status !== 'void') assert.equal(status === 'paid', booked.amount === total.amount);
    }
    const onOrder = new Map<string, number>();
    for (const { status, lines } of of('purchaseOrder'))
      for (const { productId, quantity } of lines)
        if (status === 'open') onOrder.set(productId, (onOrder.get(productId) ?? 0) + quantity);
    for (const stock of of('stock')) {
      assert.equal(stock.onOrder, onOrder.get(stock.id) ?? 0, stock.id);
      assert.ok(stock.reserved <= stock.onHand && stock.reserved >= 0);
    }
  });

  it('labels every overdue invoice, stalled deal and late shipment there is, by the rule that stands with the labels', () => {
    const replaced = new Set(of('shipment').map(({ replaces }) => replaces));
    const isAgo = (day: string, days: number) => daysBetween(day, UNTIL) >= days;
    const overdue = of('invoice').filter(
      ({ status, dueOn, total, paid, promise, isDisputed, lastRemindedAt }) =>
        status === 'open' &&
        isAgo(dueOn, 5) &&
        paid.amount < total.amount * 0.97 &&
        !isDisputed &&
        (promise === null || promise.on < UNTIL) &&
        (lastRemindedAt === null || isAgo(lastRemindedAt.slice(0, 10), 4)),
    );
    assert.deepEqual(overdue.map(({ id }) => id).sort(), labelled('overdue-invoice'));
    const stalled = of('deal').filter(
      ({ stage, lastActivityAt, nextStepOn }) =>
        stage !== 'won' &&
        stage !== 'lost' &&
        isAgo(lastActivityAt.slice(0, 10), 14) &&
        (nextStepOn === null || nextStepOn < UNTIL),
    );
    assert.deepEqual(stalled.map(({ id }) => id).sort(), labelled('stalled-deal'));
    const late = of('shipment').filter(
      ({ id, status, promisedOn, expectedOn, lastScanAt }) =>
        (status === 'in_transit' || status === 'preparing' || status === 'lost') &&
        !replaced.has(id) &&
        (isAgo(promisedOn, 2) ||
          (expectedOn !== null && daysBetween(promisedOn, expectedOn) >= 2) ||
          (lastScanAt !== null && isAgo(lastScanAt.slice(0, 10), 8))),
    );
    assert.deepEqual(late.map(({ id }) => id).sort(), labelled('late-shipment'));
  });

  it('labels every product that runs short, and the later of two payments of one bill', () => {
    const inactive = new Set(
      of('product')
        .filter(({ isActive }) => !isActive)
        .map(({ id }) => id),
    );
    const leadTime = new Map(of('offer').map(({ productId, leadTimeDays }) => [productId, leadTimeDays]));
    const sold = new Map<string, number>();
    for (const { placedAt, lines } of of('order'))
      if (daysBetween(placedAt.slice(0, 10), UNTIL) < 90)
        for (const { productId, quantity } of lines) sold.set(productId, (sold.get(productId) ?? 0) + quantity / 90);
    const short = of('stock').filter(
      ({ id, onHand, reserved, onOrder }) =>
        !inactive.has(id) && onHand - reserved + onOrder < 0.9 * (sold.get(id) ?? 0) * (leadTime.get(id) ?? 0),
    );
    assert.deepEqual(short.map(({ id }) => id).sort(), labelled('stockout'));
    assert.equal(labelled('duplicate-payment').length, MANY.duplicatePayments);
    assert.ok(business.labels.nearMisses.length > 50);
  });
});
