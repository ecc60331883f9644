import type { ErpRecord } from '../../../../domain/schemas/erp-records.ts';
import { dayAfter } from '../../../../domain/days.ts';
import { instantOn } from '../days.ts';
import type { Draft, Fields } from '../draft.ts';
import { CARRIERS } from '../words.ts';
import type { Planting } from './plant.ts';

type Story = Partial<Omit<Fields<'shipment'>, 'id' | 'orderId' | 'customerId'>> & {
  readonly placedOn: string;
  readonly promisedOn: string;
};

/** An order with one shipment, of goods that had been set aside: it touches no stock. */
function sold(draft: Draft, { placedOn, ...story }: Story): ErpRecord<'shipment'> {
  const random = draft.random.fork(`parcel ${draft.of('shipment').length}`);
  const [customer, product] = [random.pick(draft.of('customer')), random.pick(draft.of('product'))];
  const placedAt = instantOn(placedOn, 100);
  const orderId = draft.nextId('order');
  draft.put('order', placedAt, {
    id: orderId,
    number: `SO-${orderId.slice(6)}`,
    customerId: customer.id,
    status: story.status === 'delivered' ? 'delivered' : story.status === 'cancelled' ? 'cancelled' : 'shipped',
    placedAt,
    promisedOn: story.promisedOn,
    lines: [{ productId: product.id, quantity: 1, unitPrice: product.price }],
    total: product.price,
  });
  const shippedAt = instantOn(dayAfter(placedOn, 1), 60);
  return draft.put('shipment', story.lastScanAt ?? shippedAt, {
    id: draft.nextId('shipment'),
    orderId,
    customerId: customer.id,
    status: 'in_transit',
    carrier: random.pick(CARRIERS),
    expectedOn: null,
    shippedAt,
    deliveredAt: null,
    lastScanAt: shippedAt,
    replaces: null,
    ...story,
  });
}

export const lateShipment: Planting = {
  trouble: 'late-shipment',
  kind: 'shipment',
  plant(draft, _, n) {
    const random = draft.random.fork(`late ${n}`);
    const seen = instantOn(draft.today(-1), 30);
    switch (n % 3) {
      case 0: {
        const late = random.whole(2, 6);
        const { id } = sold(draft, {
          placedOn: draft.today(-late - 6),
          promisedOn: draft.today(-late),
          lastScanAt: seen,
        });
        return { id, how: `promised ${late} days ago` };
      }
      case 1: {
        const promisedOn = draft.today(random.whole(0, 2));
        const expectedOn = dayAfter(promisedOn, random.whole(3, 7));
        return {
          id: sold(draft, { placedOn: draft.today(-4), promisedOn, expectedOn, lastScanAt: seen }).id,
          how: 'the carrier expects it days after the promise',
        };
      }
      default: {
        const lastScanAt = instantOn(draft.today(-random.whole(8, 12)), 30);
        return {
          id: sold(draft, { placedOn: draft.today(-14), promisedOn: draft.today(1), lastScanAt }).id,
          how: 'under way without news',
        };
      }
    }
  },
  nearMiss(draft, _, n) {
    const random = draft.random.fork(`nearly late ${n}`);
    const past = { placedOn: draft.today(-12), promisedOn: draft.today(-random.whole(3, 6)) };
    const seen = instantOn(draft.today(-1), 30);
    switch (n % 4) {
      case 0:
        return {
          id: sold(draft, { placedOn: draft.today(-5), promisedOn: draft.today(random.whole(0, 1)), lastScanAt: seen })
            .id,
          how: 'is promised for about today',
        };
      case 1: {
        const deliveredAt = instantOn(draft.today(-1), 30);
        return {
          id: sold(draft, { ...past, status: 'delivered', deliveredAt, lastScanAt: deliveredAt }).id,
          how: 'came late, and is there',
        };
      }
      case 2:
        return { id: sold(draft, { ...past, status: 'cancelled' }).id, how: 'is cancelled' };
      default: {
        const lost = sold(draft, { ...past, status: 'lost' });
        const shippedAt = instantOn(draft.today(-1), 40);
        draft.put('shipment', shippedAt, {
          ...lost,
          id: draft.nextId('shipment'),
          status: 'in_transit',
          promisedOn: draft.today(3),
          shippedAt,
          lastScanAt: shippedAt,
          replaces: lost.id,
        });
        return { id: lost.id, how: 'is lost, and another was sent' };
      }
    }
  },
};
