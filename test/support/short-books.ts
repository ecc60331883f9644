/** The books of a business that runs short of one product, which two suppliers sell. */
import type { Books } from '../../src/erp/demo/books.ts';
import { createMemoryBooks } from '../../src/erp/demo/memory-books.ts';
import type { ErpRecord } from '../../src/domain/schemas/erp-records.ts';

const AT = '2026-11-29T12:00:00.000Z';
const kept = { version: '1', changedAt: AT };
const eur = (amount: number) => ({ amount, currency: 'EUR' });

export const P1: ErpRecord<'stock'> = { ...kept, id: 'P-1', productId: 'P-1', onHand: 2, reserved: 0, onOrder: 0 };
const OFFER: ErpRecord<'offer'> = {
  ...{ ...kept, id: 'O-1', supplierId: 'S-1', productId: 'P-1', unitCost: eur(250) },
  ...{ minQuantity: 1, packSize: 1, leadTimeDays: 5 },
};
const PAYMENT: ErpRecord<'payment'> = {
  ...{ ...kept, id: 'PAY-1', direction: 'out', customerId: null, supplierId: 'S-1', invoiceId: null },
  ...{ purchaseOrderId: null, amount: eur(900), bookedOn: '2026-12-01', reference: 'bill 7', status: 'scheduled' },
};

export function shortBooks(): Books {
  return createMemoryBooks({
    records: [
      { kind: 'stock', record: P1 },
      { kind: 'offer', record: OFFER },
      { kind: 'offer', record: { ...OFFER, id: 'O-2', supplierId: 'S-2', unitCost: eur(200), leadTimeDays: 2 } },
      { kind: 'payment', record: PAYMENT },
      {
        kind: 'product',
        record: { ...kept, id: 'P-1', sku: 'p1', name: 'P', price: eur(500), cost: eur(250), isActive: true },
      },
      ...['S-1', 'S-2'].map((id) => ({
        ...{ kind: 'supplier' as const, record: { ...kept, id, name: id, email: null, conversationId: null } },
      })),
    ],
    clock: () => Date.parse(AT),
  });
}
