/**
 * What real books have and the made-up business is too kind for. None of it changes a label: bulk orders that were a single
 * event, cancelled orders, weekly standing payments, bills numbered one after the other for one amount, orders paid in
 * two halves, references with blanks and zeros, deals and shipments that just stay on the right side.
 */
import { dayAfter } from '../src/domain/days.ts';
import type { ErpRecord } from '../src/domain/schemas/erp-records.ts';
import type { AnyRecord } from '../src/domain/schemas/erp-writes.ts';
import type { Business } from '../src/erp/demo/business/business.ts';
import { instantOn } from '../src/erp/demo/business/days.ts';
import { createRandom, type Random } from '../src/erp/demo/business/random.ts';

interface Of {
  readonly records: readonly AnyRecord[];
  readonly random: Random;
  readonly until: string;
}

export function noisy(
  business: Business,
  { seed, until }: { readonly seed: string; readonly until: string },
): Business {
  const random = createRandom(`noise of ${seed}`);
  const of = { records: business.records, random, until };
  const more = [...bulkOrders(of), ...standingPayments(of), ...countedBills(of), ...halves(of)];
  const records = [...business.records.map((record) => shaken(record, random)), ...more];
  return { ...business, records: records.sort((a, b) => (a.record.changedAt < b.record.changedAt ? -1 : 1)) };
}

function ofKind<Kind extends AnyRecord['kind']>(records: readonly AnyRecord[], kind: Kind): ErpRecord<Kind>[] {
  return records.flatMap((one) => (one.kind === kind ? [one.record as ErpRecord<Kind>] : []));
}

/** As typed by somebody in a hurry; the number stays. */
function shaken(one: AnyRecord, random: Random): AnyRecord {
  if (one.kind !== 'payment' || one.record.direction !== 'out' || !random.happens(0.3)) return one;
  const reference = random.pick([
    ` ${one.record.reference}`,
    one.record.reference.replace('-', ' - '),
    one.record.reference.toLowerCase(),
  ]);
  return { kind: 'payment', record: { ...one.record, reference } };
}

/** A hotel that opens buys 60 at once, and never again; as often somebody cancels such an order. */
function bulkOrders({ records, random, until }: Of): AnyRecord[] {
  const [customer] = ofKind(records, 'customer');
  return random.sample(ofKind(records, 'product'), 10).map((product, n): AnyRecord => {
    const placedAt = instantOn(dayAfter(until, -random.whole(10, 150)), 50);
    const lines = [{ productId: product.id, quantity: random.whole(30, 80), unitPrice: product.price }];
    const status = n % 2 === 0 ? 'delivered' : 'cancelled';
    const base = {
      id: `order-noise-${n}`,
      version: '1',
      changedAt: placedAt,
      number: `N-${n}`,
      customerId: customer?.id ?? '',
    };
    return {
      kind: 'order',
      record: { ...base, status, placedAt, promisedOn: placedAt.slice(0, 10), lines, total: product.price },
    };
  });
}

function payment(
  n: string,
  of: Pick<ErpRecord<'payment'>, 'supplierId' | 'purchaseOrderId' | 'amount' | 'bookedOn' | 'reference'>,
): AnyRecord {
  const kept = { id: `payment-noise-${n}`, version: '1', changedAt: instantOn(of.bookedOn, 40) };
  return {
    kind: 'payment',
    record: { ...kept, direction: 'out', customerId: null, invoiceId: null, status: 'paid', ...of },
  };
}

/** The cleaners, every week, with words for a reference. */
function standingPayments({ records, random, until }: Of): AnyRecord[] {
  const supplier = random.pick(ofKind(records, 'supplier'));
  const amount = { amount: random.whole(100, 900) * 100, currency: 'EUR' };
  return Array.from({ length: 20 }, (_, week) =>
    payment(`weekly-${week}`, {
      ...{ supplierId: supplier.id, purchaseOrderId: null, amount, reference: 'Cleaning' },
      bookedOn: dayAfter(until, -2 - 7 * week),
    }),
  );
}

/** A courier's bills: one amount, numbers that count upwards, days apart. */
function countedBills({ records, random, until }: Of): AnyRecord[] {
  const supplier = random.pick(ofKind(records, 'supplier'));
  const amount = { amount: random.whole(20, 90) * 100, currency: 'EUR' };
  const first = random.whole(10_000, 90_000);
  return Array.from({ length: 12 }, (_, n) =>
    payment(`counted-${n}`, {
      ...{ supplierId: supplier.id, purchaseOrderId: null, amount, reference: `K-${first + n}` },
      bookedOn: dayAfter(until, -50 + 4 * n),
    }),
  );
}

/** Half with the order, half with the goods. */
function halves({ records, random, until }: Of): AnyRecord[] {
  const paid = new Set(ofKind(records, 'payment').map(({ purchaseOrderId }) => purchaseOrderId));
  const unpaid = ofKind(records, 'purchaseOrder').filter(({ id }) => !paid.has(id));
  return random.sample(unpaid, 3).flatMap(({ id, supplierId, total }) =>
    [0, 1].map((n) =>
      payment(`half-${id}-${n}`, {
        ...{ supplierId, purchaseOrderId: id, reference: `${id} part ${n + 1}` },
        amount: { ...total, amount: Math.floor(total.amount / 2) },
        bookedOn: dayAfter(until, -12 + 8 * n),
      }),
    ),
  );
}
