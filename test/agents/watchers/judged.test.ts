import assert from 'node:assert/strict';
import { duplicatePayment } from '../../../src/agents/duplicate-payment/duplicate-payment.ts';
import { followUp } from '../../../src/agents/follow-up/follow-up.ts';
import { lateShipment } from '../../../src/agents/late-shipment/late-shipment.ts';
import { overdueInvoice } from '../../../src/agents/overdue-invoice/overdue-invoice.ts';
import { stalledDeal } from '../../../src/agents/stalled-deal/stalled-deal.ts';
import type { Agent } from '../../../src/agents/define-agent.ts';
import type { AnyRecord } from '../../../src/domain/schemas/erp-writes.ts';
import { investigated } from '../../support/investigated.ts';
import { eur, record } from '../../support/records.ts';
import { erpOf, opened, watch } from '../../support/watched.ts';

const AT = '2026-11-29T20:00:00.000Z';

async function told(agent: Agent, ...records: readonly AnyRecord[]): Promise<readonly string[]> {
  return opened(await watch(agent, { erp: erpOf(records), at: AT })).map(({ signature }) => signature);
}

async function actionsOf(agent: Agent, trigger: Record<string, string>, ...records: readonly AnyRecord[]) {
  const { proposal } = await investigated(agent, { erp: erpOf(records), trigger, now: AT });
  return typeof proposal === 'string' ? proposal : proposal.actions;
}

const ana = record('customer', { id: 'C-1', conversationId: 'c1' as never });

describe('overdue-invoice', () => {
  const madeAt = '2026-11-05T10:00:00.000Z';

  it('waits for a promise that lies ahead, and remembers one that was broken', async () => {
    const promised = (id: string, on: string) =>
      record('invoice', { id, promise: { on, amount: eur(10_000), madeAt } });
    assert.deepEqual(await told(overdueInvoice, promised('kept', '2026-12-01'), promised('broken', '2026-11-20')), [
      'broken',
    ]);
  });

  it('asks for what is left of a partial payment, and for no bank’s fee', async () => {
    const part = record('invoice', { id: 'part', paid: eur(6_000) });
    assert.deepEqual(await told(overdueInvoice, part, record('invoice', { id: 'fee', paid: eur(9_950) })), ['part']);
    const actions = await actionsOf(overdueInvoice, { invoiceId: 'part' }, part, ana);
    assert.ok(Array.isArray(actions) && actions[0]?.kind === 'reminder.send');
    assert.match(actions[0].text, /€40\.00/);
  });

  it('has an agent talk to the customer after two reminders in vain, with a configuration the agent takes', async () => {
    const invoice = record('invoice', { id: 'I-1', remindersSent: 2, lastRemindedAt: '2026-11-15T10:00:00.000Z' });
    const actions = await actionsOf(overdueInvoice, { invoiceId: 'I-1' }, invoice, ana);
    assert.ok(Array.isArray(actions) && actions[0]?.kind === 'agent.attach');
    assert.equal(actions[0].subject, 'conversation/c1');
    followUp.config.parse(actions[0].config);
    const unreachable = await actionsOf(
      overdueInvoice,
      { invoiceId: 'I-1' },
      invoice,
      record('customer', { id: 'C-1' }),
    );
    assert.ok(Array.isArray(unreachable) && unreachable[0]?.kind === 'reminder.send');
  });
});

describe('stalled-deal', () => {
  it('has follow-up write, and a person call where there is no conversation or a dispute', async () => {
    const deal = record('deal', { id: 'D-1' });
    const kindOf = async (...records: AnyRecord[]) => {
      const actions = await actionsOf(stalledDeal, { dealId: 'D-1' }, deal, ...records);
      return Array.isArray(actions) ? actions[0]?.kind : actions;
    };
    assert.equal(await kindOf(ana), 'agent.attach');
    assert.equal(await kindOf(record('customer', { id: 'C-1' })), 'person.confirm');
    assert.equal(await kindOf(ana, record('invoice', { id: 'I-1', isDisputed: true })), 'person.confirm');
  });

  it('leaves a deal with a step ahead alone', async () => {
    const ahead = record('deal', { id: 'D-1', nextStepOn: '2026-12-03' });
    assert.deepEqual(await told(stalledDeal, ahead), []);
    assert.match(JSON.stringify(await actionsOf(stalledDeal, { dealId: 'D-1' }, ahead, ana)), /next step/);
  });
});

describe('duplicate-payment', () => {
  const pair = (first: Partial<Parameters<typeof record<'payment'>>[1]>, second: object) => [
    record('payment', { id: 'A', reference: 'R-48213', ...first }),
    record('payment', { id: 'B', reference: '48213', bookedOn: '2026-11-24', ...second }),
  ];

  it('sees one bill under a number typed otherwise, with two digits swapped or one left out, or under one order', async () => {
    for (const second of [{}, { reference: 'r 0048213' }, { reference: 'R-48231' }, { reference: 'R-4821' }])
      assert.deepEqual(await told(duplicatePayment, ...pair({}, second)), ['B'], JSON.stringify(second));
    const order = record('purchaseOrder', { id: 'PO-1', total: eur(50_000) });
    const underOne = pair({ purchaseOrderId: 'PO-1' }, { purchaseOrderId: 'PO-1', reference: 'goods' });
    assert.deepEqual(await told(duplicatePayment, order, ...underOne), ['B']);
  });

  it('sees two bills in two orders, counted numbers, instalments, halves of an order, another payee, a month between', async () => {
    for (const [first, second] of [
      [{ purchaseOrderId: 'PO-1' }, { purchaseOrderId: 'PO-2' }],
      [{}, { reference: 'R-48214' }],
      [{ reference: 'R-48213 1/2' }, { reference: 'R-48213 2/2' }],
      [{ purchaseOrderId: 'PO-9' }, { purchaseOrderId: 'PO-9', reference: 'rest' }],
      [{}, { supplierId: 'S-2' }],
      [{}, { amount: eur(52_000) }],
      [{ bookedOn: '2026-10-20' }, {}],
      [{ status: 'cancelled' as const }, {}],
      [{}, { status: 'refund_requested' as const }],
    ] as const) {
      const records = [record('purchaseOrder', { id: 'PO-9', total: eur(100_000) }), ...pair(first, second)];
      assert.deepEqual(await told(duplicatePayment, ...records), [], JSON.stringify([first, second]));
    }
  });

  it('takes words in a standing row for a habit, and the same words out of any row for a double', async () => {
    const weekly = (count: number) =>
      Array.from({ length: count }, (_, n) =>
        record('payment', {
          id: `W-${n}`,
          reference: 'Cleaning',
          bookedOn: `2026-11-${String(28 - 7 * n).padStart(2, '0')}`,
        }),
      );
    assert.deepEqual(await told(duplicatePayment, ...weekly(4)), []);
    assert.deepEqual(await told(duplicatePayment, ...weekly(2)), ['W-0']);
    const twice = record('payment', { id: 'X', reference: 'cleaning', bookedOn: '2026-11-22' });
    assert.deepEqual(await told(duplicatePayment, ...weekly(4), twice), ['X']);
  });

  it('states its limits as they are, not rounded', async () => {
    const config = { amountTolerance: 0.0075 };
    const { proposal } = await investigated(duplicatePayment, {
      ...{ erp: erpOf(pair({}, {})), trigger: { paymentId: 'B' }, now: AT, config },
    });
    assert.match(typeof proposal === 'string' ? proposal : proposal.method, /at most 0\.75 % apart/);
  });

  it('holds what has not left, and asks back what has', async () => {
    for (const [status, kind] of [
      ['scheduled', 'payment.hold'],
      ['paid', 'payment.refund'],
    ] as const) {
      const actions = await actionsOf(duplicatePayment, { paymentId: 'B' }, ...pair({}, { status }));
      assert.ok(Array.isArray(actions) && actions[0]?.kind === kind);
    }
  });
});

describe('late-shipment', () => {
  const delivered = (n: number) =>
    record('shipment', {
      id: `S-${n}`,
      orderId: `O-${n}`,
      status: 'delivered',
      deliveredAt: '2026-11-24T10:00:00.000Z',
    });

  it('promises the carrier’s day, else what this customer’s deliveries usually take, and tells the customer', async () => {
    const late = record('shipment', { id: 'S-0' });
    const past = [1, 2, 3].map(delivered);
    const actions = await actionsOf(lateShipment, { shipmentId: 'S-0' }, late, ana, ...past);
    assert.ok(Array.isArray(actions) && actions[0]?.kind === 'shipment.promise');
    assert.deepEqual([actions[0].promisedOn, actions[1]?.kind], ['2026-12-03', 'customer.notify']);
    const known = record('shipment', { id: 'S-0', expectedOn: '2026-12-09' });
    const carriers = await actionsOf(lateShipment, { shipmentId: 'S-0' }, known, ana, ...past);
    assert.ok(Array.isArray(carriers) && carriers[0]?.kind === 'shipment.promise');
    assert.equal(carriers[0].promisedOn, '2026-12-09');
  });

  it('sends anew what is lost or silent for long, unless that was done', async () => {
    const silent = record('shipment', { id: 'S-0', lastScanAt: '2026-11-10T10:00:00.000Z' });
    const actions = await actionsOf(lateShipment, { shipmentId: 'S-0' }, silent, ana);
    assert.ok(Array.isArray(actions) && actions[0]?.kind === 'shipment.reorder');
    const anew = record('shipment', { id: 'S-1', replaces: 'S-0', promisedOn: '2026-12-05' });
    assert.deepEqual(await told(lateShipment, silent, anew), []);
    assert.match(JSON.stringify(await actionsOf(lateShipment, { shipmentId: 'S-0' }, silent, anew, ana)), /replaced/);
  });
});
