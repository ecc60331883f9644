/** What the year of trade means in money: invoices, what customers paid of them, what suppliers were paid. */
import type { ErpRecord } from '../../../domain/schemas/erp-records.ts';
import type { Catalogue } from './catalogue.ts';
import { dayAfter } from '../../../domain/days.ts';
import { instantOn } from './days.ts';
import type { Draft } from './draft.ts';
import type { Random } from './random.ts';

/** Days to pay. */
const CUSTOMER_TERMS = 21;
const SUPPLIER_TERMS = 30;
/** Only some customers buy on account; the others have paid when they order, and no invoice stands open. */
const ON_ACCOUNT = 0.4;

export function keepBooks(draft: Draft, catalogue: Catalogue): void {
  billCustomers(draft);
  paySuppliers(draft);
  payServices(draft, catalogue);
}

function billCustomers(draft: Draft): void {
  const random = draft.random.fork('invoices');
  const onAccount = new Set(
    draft
      .of('customer')
      .filter(() => random.happens(ON_ACCOUNT))
      .map(({ id }) => id),
  );
  for (const order of draft.of('order')) {
    const issuedOn = dayAfter(order.placedAt.slice(0, 10), 1);
    if (!onAccount.has(order.customerId) || order.status === 'open' || issuedOn > draft.until) continue;
    const invoice = issue(draft, {
      customerId: order.customerId,
      orderId: order.id,
      issuedOn,
      total: order.total.amount,
    });
    settle(draft, random, invoice);
  }
}

/** An invoice nobody has paid yet. */
export function issue(
  draft: Draft,
  of: {
    readonly customerId: string;
    readonly orderId: string | null;
    readonly issuedOn: string;
    readonly total: number;
  },
): ErpRecord<'invoice'> {
  const id = draft.nextId('invoice');
  return draft.put('invoice', instantOn(of.issuedOn, 10), {
    id,
    number: `INV-${id.slice(-5)}`,
    customerId: of.customerId,
    orderId: of.orderId,
    status: 'open',
    issuedOn: of.issuedOn,
    dueOn: dayAfter(of.issuedOn, CUSTOMER_TERMS),
    total: draft.money(of.total),
    paid: draft.money(0),
    promise: null,
    remindersSent: 0,
    lastRemindedAt: null,
    isDisputed: false,
  });
}

/** Most pay around the due date, some weeks late, a few in two parts. Nobody is left overdue: that is planted. */
function settle(draft: Draft, random: Random, invoice: ErpRecord<'invoice'>): void {
  const { until } = draft;
  const lateness = random.happens(0.15) ? random.whole(3, 24) : random.whole(-12, 2);
  let last = dayAfter(invoice.dueOn, lateness);
  if (last > until && dayAfter(invoice.dueOn, 2) < until) last = until;
  const total = invoice.total.amount;
  if (random.happens(0.1) && dayAfter(last, -5) > invoice.issuedOn)
    receive(draft, invoice, { amount: Math.round(total * random.between(0.3, 0.6)), on: dayAfter(last, -5) });
  if (last <= until) receive(draft, invoice, { amount: Number.POSITIVE_INFINITY, on: last });
}

/** Books what came in: at most what is still owed, and nothing after today. */
export function receive(
  draft: Draft,
  { id }: { readonly id: string },
  { amount, on }: { readonly amount: number; readonly on: string },
): void {
  if (on > draft.until) return;
  const invoice = draft.get('invoice', id);
  const booked = Math.min(amount, invoice.total.amount - invoice.paid.amount);
  const at = instantOn(on, 30);
  draft.put('payment', at, {
    id: draft.nextId('payment'),
    direction: 'in',
    customerId: invoice.customerId,
    supplierId: null,
    invoiceId: id,
    purchaseOrderId: null,
    amount: draft.money(booked),
    bookedOn: on,
    reference: invoice.number,
    status: 'paid',
  });
  const paid = invoice.paid.amount + booked;
  draft.change('invoice', id, at, { paid: draft.money(paid), status: paid === invoice.total.amount ? 'paid' : 'open' });
}

/** Each delivery is billed once and paid once; what falls due later is scheduled. */
function paySuppliers(draft: Draft): void {
  const random = draft.random.fork('bills');
  const bills = new Map<string, number>();
  for (const purchase of draft.of('purchaseOrder')) {
    if (purchase.receivedAt === null) continue;
    const number = (bills.get(purchase.supplierId) ?? random.whole(1_000, 80_000)) + random.whole(1, 40);
    bills.set(purchase.supplierId, number);
    const bookedOn = dayAfter(purchase.receivedAt.slice(0, 10), SUPPLIER_TERMS - random.whole(0, 3));
    pay(draft, {
      supplierId: purchase.supplierId,
      purchaseOrderId: purchase.id,
      amount: purchase.total.amount,
      bookedOn,
      reference: `${billPrefix(purchase.supplierId)}-${number}`,
    });
  }
}

/** As that supplier numbers its bills. */
export function billPrefix(supplierId: string): string {
  return ['R', 'INV', 'FT', 'NF'][Number(supplierId.slice(-1)) % 4] ?? 'R';
}

function payServices(draft: Draft, { services }: Catalogue): void {
  const random = draft.random.fork('services');
  for (const { id } of services) {
    const amount = random.whole(200, 4_000) * 100;
    let number = random.whole(100, 900);
    for (let day = dayAfter(draft.from, random.whole(0, 25)); day <= dayAfter(draft.until, 20); day = dayAfter(day, 30))
      pay(draft, {
        supplierId: id,
        purchaseOrderId: null,
        amount,
        bookedOn: day,
        reference: `${billPrefix(id)}-${number++}`,
      });
  }
}

export function pay(
  draft: Draft,
  bill: {
    readonly supplierId: string;
    readonly purchaseOrderId: string | null;
    readonly amount: number;
    readonly bookedOn: string;
    readonly reference: string;
  },
): ErpRecord<'payment'> {
  const isAhead = bill.bookedOn > draft.until;
  return draft.put('payment', isAhead ? draft.end : instantOn(bill.bookedOn, 45), {
    id: draft.nextId('payment'),
    direction: 'out',
    customerId: null,
    invoiceId: null,
    ...bill,
    amount: draft.money(bill.amount),
    status: isAhead ? 'scheduled' : 'paid',
  });
}
