/** The demo ERP's rules: what each command does to the books, or why it does nothing. */
import type { ErpKind, ErpRecord } from '../../domain/schemas/erp-records.ts';
import type { AnyRecord, ErpAnswer, ErpCommand, ErpCommandKind } from '../../domain/schemas/erp-writes.ts';
import type { Turn } from './books.ts';

/** Ends a command: its turn leaves nothing behind. */
export class NotDone extends Error {
  override readonly name = 'NotDone';
  readonly answer: Exclude<ErpAnswer, { readonly outcome: 'done' }>;

  constructor(answer: NotDone['answer']) {
    super(answer.outcome);
    this.answer = answer;
  }
}

type Of<Kind extends ErpCommandKind> = Extract<ErpCommand, { readonly kind: Kind }>;
type Rules = { readonly [Kind in ErpCommandKind]: (turn: Turn, command: Of<Kind>, now: string) => Promise<AnyRecord> };

/** @throws {NotDone} */
export async function carryOut(turn: Turn, command: ErpCommand, now: string): Promise<AnyRecord> {
  const rule = RULES[command.kind] as (turn: Turn, command: ErpCommand, now: string) => Promise<AnyRecord>;
  return rule(turn, command, now);
}

const RULES: Rules = {
  createPurchaseOrder,
  async cancelPurchaseOrder(turn, { purchaseOrderId }) {
    const order = await the(turn, 'purchaseOrder', purchaseOrderId);
    mustBe(order, ['open']);
    for (const { productId, quantity } of order.lines) await moveOnOrder(turn, productId, -quantity);
    return turn.put('purchaseOrder', { ...order, status: 'cancelled' });
  },
  holdPayment: async (turn, { paymentId }) => movePayment(turn, paymentId, 'scheduled', 'held'),
  releasePayment: async (turn, { paymentId }) => movePayment(turn, paymentId, 'held', 'scheduled'),
  requestRefund: async (turn, { paymentId }) => movePayment(turn, paymentId, 'paid', 'refund_requested'),
  withdrawRefundRequest: async (turn, { paymentId }) => movePayment(turn, paymentId, 'refund_requested', 'paid'),
  async sendReminder(turn, { invoiceId }, now) {
    const invoice = await the(turn, 'invoice', invoiceId);
    mustBe(invoice, ['open']);
    return turn.put('invoice', { ...invoice, remindersSent: invoice.remindersSent + 1, lastRemindedAt: now });
  },
  async recordPromise(turn, { invoiceId, on, amount }, now) {
    const invoice = await the(turn, 'invoice', invoiceId);
    mustBe(invoice, ['open']);
    return turn.put('invoice', { ...invoice, promise: { on, amount, madeAt: now } });
  },
  async updatePromisedDate(turn, { shipmentId, promisedOn }) {
    const shipment = await the(turn, 'shipment', shipmentId);
    mustBe(shipment, ['preparing', 'in_transit', 'lost']);
    return turn.put('shipment', { ...shipment, promisedOn });
  },
  reorderShipment,
  async cancelShipment(turn, { shipmentId }) {
    const shipment = await the(turn, 'shipment', shipmentId);
    mustBe(shipment, ['preparing']);
    return turn.put('shipment', { ...shipment, status: 'cancelled' });
  },
};

async function createPurchaseOrder(
  turn: Turn,
  { supplierId, lines, expectedOn, note }: Of<'createPurchaseOrder'>,
  now: string,
): Promise<AnyRecord> {
  await the(turn, 'supplier', supplierId);
  for (const line of lines) await checkOffer(turn, supplierId, line);
  for (const { productId, quantity } of lines) await moveOnOrder(turn, productId, quantity);
  const id = await turn.newId('purchaseOrder');
  const [first] = lines;
  return turn.put('purchaseOrder', {
    id,
    number: `PO-${id.split('-')[1] ?? id}`,
    supplierId,
    status: 'open',
    orderedAt: now,
    expectedOn,
    receivedAt: null,
    lines,
    total: {
      amount: lines.reduce((sum, { quantity, unitCost }) => sum + quantity * unitCost.amount, 0),
      currency: first?.unitCost.currency ?? '',
    },
    note,
  });
}

async function checkOffer(turn: Turn, supplierId: string, line: Of<'createPurchaseOrder'>['lines'][number]) {
  await the(turn, 'product', line.productId);
  const where = { supplierId, productId: line.productId };
  const [kept] = await turn.list({ kind: 'offer', after: 0, limit: 1, where });
  if (kept?.kind !== 'offer') throw refused('not_offered', `${supplierId} does not sell ${line.productId}`);
  const { unitCost, minQuantity, packSize } = kept.record;
  if (line.quantity < minQuantity || line.quantity % packSize !== 0)
    throw refused('below_minimum', `${line.productId} is sold from ${minQuantity}, in packs of ${packSize}`);
  if (line.unitCost.amount !== unitCost.amount || line.unitCost.currency !== unitCost.currency)
    throw refused('wrong_cost', `${line.productId} costs ${unitCost.amount} ${unitCost.currency}`);
}

async function reorderShipment(turn: Turn, { shipmentId, promisedOn }: Of<'reorderShipment'>): Promise<AnyRecord> {
  const old = await the(turn, 'shipment', shipmentId);
  mustBe(old, ['preparing', 'in_transit', 'lost']);
  const others = await turn.list({ kind: 'shipment', after: 0, limit: 100, where: { orderId: old.orderId } });
  if (
    others.some(({ record }) => 'replaces' in record && record.replaces === shipmentId && record.status !== 'cancelled')
  )
    throw refused('already_replaced', `another shipment was sent in place of ${shipmentId}`);
  return turn.put('shipment', {
    ...old,
    id: await turn.newId('shipment'),
    status: 'preparing',
    promisedOn,
    expectedOn: null,
    shippedAt: null,
    deliveredAt: null,
    lastScanAt: null,
    replaces: shipmentId,
  });
}

type PaymentStatus = ErpRecord<'payment'>['status'];

async function movePayment(turn: Turn, id: string, from: PaymentStatus, to: PaymentStatus): Promise<AnyRecord> {
  const payment = await the(turn, 'payment', id);
  mustBe(payment, [from]);
  return turn.put('payment', { ...payment, status: to });
}

async function moveOnOrder(turn: Turn, productId: string, by: number): Promise<void> {
  const stock = await the(turn, 'stock', productId);
  await turn.put('stock', { ...stock, onOrder: Math.max(0, stock.onOrder + by) });
}

/** @throws {NotDone} when there is none. */
async function the<Kind extends ErpKind>(turn: Turn, kind: Kind, id: string): Promise<ErpRecord<Kind>> {
  const found = await turn.get(kind, id);
  if (found === undefined) throw new NotDone({ outcome: 'not_found', kind, id });
  return found.record as ErpRecord<Kind>;
}

function mustBe({ id, status }: { readonly id: string; readonly status: string }, wanted: readonly string[]): void {
  if (!wanted.includes(status)) throw refused('wrong_status', `${id} is ${status}, not ${wanted.join(' or ')}`);
}

function refused(reason: Extract<ErpAnswer, { outcome: 'refused' }>['reason'], detail: string): NotDone {
  return new NotDone({ outcome: 'refused', reason, detail });
}
