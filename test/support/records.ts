/** Records of an ERP, written on the spot; amounts in cents of euros. */
import type { ErpKind, ErpRecord } from '../../src/domain/schemas/erp-records.ts';
import { ERP_RECORDS } from '../../src/domain/schemas/erp-records.ts';
import type { AnyRecord } from '../../src/domain/schemas/erp-writes.ts';

export const eur = (amount: number) => ({ amount, currency: 'EUR' });

type Fields<Kind extends ErpKind> = Partial<Omit<ErpRecord<Kind>, 'version' | 'changedAt'>> & { readonly id: string };

const DEFAULTS = {
  invoice: {
    ...{
      number: 'INV-1',
      customerId: 'C-1',
      orderId: null,
      status: 'open',
      issuedOn: '2026-10-01',
      dueOn: '2026-11-01',
    },
    ...{ total: eur(10_000), paid: eur(0), promise: null, remindersSent: 0, lastRemindedAt: null, isDisputed: false },
  },
  customer: { name: 'Somebody', email: null, phone: null, conversationId: null },
  payment: {
    ...{ direction: 'out', customerId: null, supplierId: 'S-1', invoiceId: null, purchaseOrderId: null },
    ...{ amount: eur(50_000), bookedOn: '2026-11-20', reference: 'R-1', status: 'paid' },
  },
  purchaseOrder: {
    ...{
      number: 'PO-1',
      supplierId: 'S-1',
      status: 'open',
      orderedAt: '2026-11-01T10:00:00.000Z',
      expectedOn: '2026-12-10',
    },
    ...{
      receivedAt: null,
      lines: [{ productId: 'P-1', quantity: 10, unitCost: eur(1_000) }],
      total: eur(100_000),
      note: null,
    },
  },
  deal: {
    ...{ title: 'Chairs for a year', customerId: 'C-1', stage: 'proposal', value: eur(500_000), nextStepOn: null },
    ...{ openedAt: '2026-09-01T10:00:00.000Z', lastActivityAt: '2026-11-01T10:00:00.000Z', conversationId: null },
  },
  shipment: {
    ...{
      orderId: 'SO-1',
      customerId: 'C-1',
      status: 'in_transit',
      carrier: 'Quick',
      promisedOn: '2026-11-25',
      expectedOn: null,
    },
    ...{
      shippedAt: '2026-11-20T10:00:00.000Z',
      deliveredAt: null,
      lastScanAt: '2026-11-28T10:00:00.000Z',
      replaces: null,
    },
  },
} as const satisfies { readonly [Kind in ErpKind]?: object };

export function record<Kind extends keyof typeof DEFAULTS>(kind: Kind, fields: Fields<Kind>): AnyRecord {
  const whole = { ...DEFAULTS[kind], ...fields, version: '1', changedAt: '2026-11-28T12:00:00.000Z' };
  return { kind, record: ERP_RECORDS[kind].parse(whole) } as AnyRecord;
}
