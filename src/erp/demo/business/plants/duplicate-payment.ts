import type { ErpRecord } from '../../../../domain/schemas/erp-records.ts';
import type { Random } from '../random.ts';
import type { Draft } from '../draft.ts';
import { dayAfter } from '../../../../domain/days.ts';
import { instantOn } from '../days.ts';
import { billPrefix, pay } from '../money.ts';
import type { Planting } from './plant.ts';

/** The same bill, as a second person typed it. */
function retyped(reference: string, n: number): string {
  const [prefix = '', digits = ''] = reference.split('-');
  const swapped = digits.replace(/(\d)(\d)(?=\d$)/, '$2$1');
  return (
    [
      digits,
      `${prefix} ${digits}`,
      swapped === digits ? `${prefix}${digits}` : `${prefix}-${swapped}`,
      `${prefix.toLowerCase()}${digits}`,
    ][n % 4] ?? digits
  );
}

/** An outgoing payment for goods of the last weeks, or one to come. */
function original(draft: Draft, random: Random): ErpRecord<'payment'> | undefined {
  const taken = new Set([...draft.troubles, ...draft.nearMisses].map(({ id }) => id));
  const groups = new Set(
    draft
      .of('payment')
      .filter(({ id }) => taken.has(id))
      .map(({ purchaseOrderId }) => purchaseOrderId),
  );
  const candidates = draft
    .of('payment')
    .filter(
      ({ direction, purchaseOrderId, bookedOn, status }) =>
        direction === 'out' &&
        purchaseOrderId !== null &&
        !groups.has(purchaseOrderId) &&
        bookedOn > draft.today(-40) &&
        status !== 'cancelled',
    );
  return candidates.length === 0 ? undefined : random.pick(candidates);
}

export const duplicatePayment: Planting = {
  trouble: 'duplicate-payment',
  kind: 'payment',
  plant(draft, _, n) {
    const random = draft.random.fork(`twice ${n}`);
    const first = original(draft, random);
    if (first?.supplierId == null) return undefined;
    const isNear = n % 3 === 1;
    const { id } = pay(draft, {
      supplierId: first.supplierId,
      // The second person did not look for the order.
      purchaseOrderId: n % 2 === 0 ? null : first.purchaseOrderId,
      amount: isNear ? Math.round(first.amount.amount * random.between(0.996, 0.999)) : first.amount.amount,
      bookedOn: dayAfter(first.bookedOn, random.whole(1, 8)),
      reference: retyped(first.reference, n),
    });
    return { id, how: isNear ? 'paid again, less a discount' : 'paid again under a reference typed otherwise' };
  },
  nearMiss(draft, _, n) {
    const random = draft.random.fork(`nearly twice ${n}`);
    const { id: supplierId } = random.pick(draft.of('supplier'));
    const amount = random.whole(100, 3_000) * 100;
    const number = random.whole(100_000, 900_000);
    const bookedOn = draft.today(-random.whole(3, 30));
    const bill = { supplierId, purchaseOrderId: null, amount, bookedOn };
    const prefix = billPrefix(supplierId);
    switch (n % 3) {
      case 0: {
        pay(draft, { ...bill, reference: `${prefix}-${number} 1/2` });
        const later = pay(draft, { ...bill, bookedOn: dayAfter(bookedOn, 7), reference: `${prefix}-${number} 2/2` });
        return { id: later.id, how: 'two instalments' };
      }
      case 1: {
        const cancelled = pay(draft, { ...bill, reference: `${prefix}-${number}` });
        draft.change('payment', cancelled.id, instantOn(bookedOn, 100), { status: 'cancelled' });
        const later = pay(draft, { ...bill, bookedOn: dayAfter(bookedOn, 1), reference: `${prefix}-${number}` });
        return { id: later.id, how: 'the first was cancelled' };
      }
      default: {
        const orders = draft.of('purchaseOrder').filter((one) => one.supplierId === supplierId);
        const [one, other] = random.sample(orders, 2);
        if (one === undefined || other === undefined) return undefined;
        pay(draft, { ...bill, purchaseOrderId: one.id, reference: `${prefix}-${number}` });
        const later = pay(draft, {
          ...bill,
          purchaseOrderId: other.id,
          bookedOn: dayAfter(bookedOn, 4),
          reference: `${prefix}-${number + 61}`,
        });
        return { id: later.id, how: 'the same goods ordered twice, on purpose' };
      }
    }
  },
};
