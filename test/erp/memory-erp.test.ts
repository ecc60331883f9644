import assert from 'node:assert/strict';
import type { AnyRecord, ErpCommand } from '../../src/domain/schemas/erp-writes.ts';
import { generateBusiness } from '../../src/erp/demo/business/generate-business.ts';
import { createDemoErp } from '../../src/erp/demo/demo-erp.ts';
import { createMemoryBooks } from '../../src/erp/demo/memory-books.ts';
import { aKey, aPurchase, allOf, behavesLikeAnErp, done, ERP_SEED } from '../support/erp-port.ts';

describe('the demo ERP, its books in memory', () => {
  const open = (plants = {}) => createDemoErp({ books: createMemoryBooks(generateBusiness({ ...ERP_SEED, plants })) });
  const shared = open();
  behavesLikeAnErp(() => shared);

  async function carriedOut(command: ErpCommand, erp = shared): Promise<AnyRecord> {
    return (await done(erp.write(command, { idempotencyKey: aKey(), precondition: [] }))).result;
  }

  it('holds and releases what is scheduled, asks back what is paid, and undoes both', async () => {
    const payments = await allOf(shared, 'payment');
    const reason = 'paid twice';
    for (const [from, act, to, undo] of [
      ['scheduled', 'holdPayment', 'held', 'releasePayment'],
      ['paid', 'requestRefund', 'refund_requested', 'withdrawRefundRequest'],
    ] as const) {
      const paymentId = payments.find(({ status }) => status === from)?.id ?? '';
      const after = await carriedOut({ kind: act, paymentId, reason });
      assert.ok(after.kind === 'payment' && after.record.status === to);
      const again = await shared.write({ kind: act, paymentId, reason }, { idempotencyKey: aKey(), precondition: [] });
      assert.ok(again.outcome === 'refused' && again.reason === 'wrong_status');
      const undone = await carriedOut({ kind: undo, paymentId, reason });
      assert.ok(undone.kind === 'payment' && undone.record.status === from);
    }
  });

  it('counts reminders, keeps the latest promise, and does neither for what is paid', async () => {
    const invoices = await allOf(shared, 'invoice');
    const invoiceId = invoices.find(({ status }) => status === 'open')?.id ?? '';
    const amount = { amount: 1_000, currency: 'EUR' };
    await carriedOut({ kind: 'sendReminder', invoiceId, text: 'Please pay.' });
    const { record } = await carriedOut({ kind: 'recordPromise', invoiceId, on: '2026-12-05', amount });
    assert.ok('remindersSent' in record && record.remindersSent > 0 && record.promise?.on === '2026-12-05');
    const paid = invoices.find(({ status }) => status === 'paid')?.id ?? '';
    const refused = await shared.write(
      { kind: 'sendReminder', invoiceId: paid, text: 'x' },
      { idempotencyKey: aKey(), precondition: [] },
    );
    assert.ok(refused.outcome === 'refused' && refused.reason === 'wrong_status');
  });

  it('sends a shipment anew once, unless the new one was cancelled, and moves a promised date', async () => {
    const [shipment] = (await allOf(shared, 'shipment')).filter(({ status }) => status === 'in_transit');
    const again = {
      kind: 'reorderShipment',
      shipmentId: shipment?.id ?? '',
      promisedOn: '2026-12-08',
      reason: 'lost',
    } as const;
    const { record } = await carriedOut(again);
    assert.ok('replaces' in record && record.replaces === shipment?.id && record.status === 'preparing');
    const twice = await shared.write(again, { idempotencyKey: aKey(), precondition: [] });
    assert.ok(twice.outcome === 'refused' && twice.reason === 'already_replaced');
    const moved = await carriedOut({
      kind: 'updatePromisedDate',
      shipmentId: record.id,
      promisedOn: '2026-12-20',
      reason: 'snow',
    });
    assert.ok('promisedOn' in moved.record && moved.record.promisedOn === '2026-12-20');
    await carriedOut({ kind: 'cancelShipment', shipmentId: record.id, reason: 'it arrived' });
    await carriedOut(again);
  });

  it('leaves nothing behind of an order that fails at its second line', async () => {
    const purchase = await aPurchase(shared, 8);
    const productId = purchase.lines[0]?.productId ?? '';
    const before = await shared.get('stock', productId);
    const lines = [...purchase.lines, { productId: 'nothing', quantity: 1, unitCost: { amount: 1, currency: 'EUR' } }];
    const answer = await shared.write({ ...purchase, lines }, { idempotencyKey: aKey(), precondition: [] });
    assert.equal(answer.outcome, 'not_found');
    assert.deepEqual(await shared.get('stock', productId), before);
  });
});
