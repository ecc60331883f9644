/** A year of buying and selling, day by day: orders, shipments, purchase orders, and the stock that is left. */
import type { ErpRecord } from '../../../domain/schemas/erp-records.ts';
import type { Article, Catalogue } from './catalogue.ts';
import { dayAfter, daysBetween, weekdayOf } from '../../../domain/days.ts';
import { instantOn } from './days.ts';
import type { Draft } from './draft.ts';
import type { Random } from './random.ts';
import { CARRIERS } from './words.ts';

/** Sunday to Saturday: Fridays are strong, Sundays weak; together a plain week. */
const WEEK = [0.4, 1.1, 1, 1, 1.1, 1.4, 1];
const SEASON = 0.12;
/** Quantities of one line; on average 3.1. */
const QUANTITIES = [1, 1, 2, 2, 3, 3, 4, 6, 6] as const;
const AVERAGE_QUANTITY = QUANTITIES.reduce((sum, each) => sum + each, 0) / QUANTITIES.length;
const LINES_OF_AN_ORDER = [1, 2, 3, 3, 4, 5] as const;

/** Units a day to be expected on `date`, the weekday aside. */
export function expectedDemand({ dailyDemand, phase }: Article, date: string, from: string): number {
  return dailyDemand * (1 + SEASON * Math.sin((2 * Math.PI * daysBetween(from, date)) / 365 + phase));
}

interface Shelf {
  onHand: number;
  reserved: number;
  onOrder: number;
  changedAt: string;
}

export class Trade {
  private readonly draft: Draft;
  private readonly catalogue: Catalogue;
  private readonly random: Random;
  private readonly shelves = new Map<string, Shelf>();
  /** What happens on a later day, by day. */
  private readonly agenda = new Map<string, (() => void)[]>();
  /** Not bought any more from that day on: what will be short at the end. */
  private readonly neglected: ReadonlySet<string>;

  constructor(draft: Draft, catalogue: Catalogue, neglected: ReadonlySet<string>) {
    this.draft = draft;
    this.catalogue = catalogue;
    this.neglected = neglected;
    this.random = draft.random.fork('trade');
    for (const article of catalogue.articles)
      this.shelves.set(article.product.id, {
        onHand: Math.ceil(this.reorderPoint(article, draft.from) * 1.6),
        reserved: 0,
        onOrder: 0,
        changedAt: instantOn(draft.from, 0),
      });
  }

  run(): void {
    const { from, until } = this.draft;
    for (let day = from; day <= until; day = dayAfter(day, 1)) {
      for (const happen of this.agenda.get(day) ?? []) happen();
      this.sell(day);
      if (weekdayOf(day) % 6 !== 0) this.buy(day);
    }
    for (const [productId, shelf] of this.shelves) {
      const { changedAt, ...levels } = shelf;
      this.draft.put('stock', changedAt, { id: productId, productId, ...levels });
    }
  }

  private sell(day: string): void {
    const lines: ErpRecord<'order'>['lines'] = [];
    for (const article of this.catalogue.articles) {
      const mean = (expectedDemand(article, day, this.draft.from) * (WEEK[weekdayOf(day)] ?? 1)) / AVERAGE_QUANTITY;
      for (let left = this.random.count(mean); left > 0; left -= 1) {
        const quantity = this.random.pick(QUANTITIES);
        const shelf = this.shelf(article.product.id);
        if (shelf.onHand - shelf.reserved < quantity) continue;
        lines.push({ productId: article.product.id, quantity, unitPrice: article.product.price });
        shelf.reserved += quantity;
      }
    }
    const mixed = this.random.sample(lines, lines.length);
    while (mixed.length > 0) this.place(day, mixed.splice(0, this.random.pick(LINES_OF_AN_ORDER)));
  }

  private place(day: string, lines: ErpRecord<'order'>['lines']): void {
    const { draft, random } = this;
    const placedAt = instantOn(day, random.whole(0, 290));
    for (const { productId } of lines) this.shelf(productId).changedAt = placedAt;
    const id = draft.nextId('order');
    const customerId = random.pick(this.catalogue.customers).id;
    const promisedOn = dayAfter(day, random.whole(5, 7));
    const total = draft.money(lines.reduce((sum, { quantity, unitPrice }) => sum + quantity * unitPrice.amount, 0));
    draft.put('order', placedAt, {
      id,
      number: `SO-${id.slice(6)}`,
      customerId,
      status: 'open',
      placedAt,
      promisedOn,
      lines,
      total,
    });
    this.ship(day, { id, customerId, promisedOn, lines });
  }

  private ship(day: string, order: Pick<ErpRecord<'order'>, 'id' | 'customerId' | 'promisedOn' | 'lines'>): void {
    const { draft, random } = this;
    const shipment = draft.nextId('shipment');
    const ref = { orderId: order.id, customerId: order.customerId };
    const none = { expectedOn: null, shippedAt: null, deliveredAt: null, lastScanAt: null, replaces: null };
    const carrier = random.pick(CARRIERS);
    draft.put('shipment', instantOn(day, 295), {
      id: shipment,
      ...ref,
      status: 'preparing',
      carrier,
      promisedOn: order.promisedOn,
      ...none,
    });
    const leaves = dayAfter(day, random.whole(1, 2));
    // One in twenty came late, once; what is late today is planted.
    const late = random.happens(0.05) ? random.whole(2, 6) : 0;
    const arrives = dayAfter(late === 0 ? leaves : order.promisedOn, late === 0 ? random.whole(1, 3) : late);
    const isKnownLate = arrives > order.promisedOn && arrives > draft.until;
    const delivered = isKnownLate ? order.promisedOn : arrives;
    this.on(leaves, () => {
      const at = instantOn(leaves, random.whole(0, 200));
      for (const { productId, quantity } of order.lines)
        this.move(productId, at, { onHand: -quantity, reserved: -quantity });
      const expectedOn = random.happens(0.7) ? delivered : null;
      draft.change('shipment', shipment, at, { status: 'in_transit', shippedAt: at, lastScanAt: at, expectedOn });
      draft.change('order', order.id, at, { status: 'shipped' });
    });
    this.on(delivered, () => {
      const at = instantOn(delivered, random.whole(200, 290));
      draft.change('shipment', shipment, at, { status: 'delivered', deliveredAt: at, lastScanAt: at });
      draft.change('order', order.id, at, { status: 'delivered' });
    });
  }

  /** One purchase order a supplier and day, for all that has come below its reorder point. */
  private buy(day: string): void {
    const wanted = new Map<string, { article: Article; quantity: number }[]>();
    for (const article of this.catalogue.articles) {
      const { product, offer } = article;
      if (this.neglected.has(product.id) && daysBetween(day, this.draft.until) < 2 * offer.leadTimeDays + 7) continue;
      const shelf = this.shelf(product.id);
      const position = shelf.onHand - shelf.reserved + shelf.onOrder;
      const point = this.reorderPoint(article, day);
      if (position > point) continue;
      const lacking = point + 25 * expectedDemand(article, day, this.draft.from) - position;
      const quantity = Math.max(offer.minQuantity, Math.ceil(lacking / offer.packSize) * offer.packSize);
      wanted.set(offer.supplierId, [...(wanted.get(offer.supplierId) ?? []), { article, quantity }]);
    }
    for (const [supplierId, items] of wanted) this.order(day, supplierId, items);
  }

  private order(day: string, supplierId: string, items: readonly { article: Article; quantity: number }[]): void {
    const { draft, random } = this;
    const id = draft.nextId('purchaseOrder');
    const orderedAt = instantOn(day, 297);
    const leadTime = Math.max(...items.map(({ article }) => article.offer.leadTimeDays));
    const lines = items.map(({ article, quantity }) => ({
      productId: article.product.id,
      quantity,
      unitCost: article.offer.unitCost,
    }));
    draft.put('purchaseOrder', orderedAt, {
      id,
      number: `PO-${id.slice(-5)}`,
      supplierId,
      status: 'open',
      orderedAt,
      expectedOn: dayAfter(day, leadTime),
      receivedAt: null,
      lines,
      total: draft.money(lines.reduce((sum, { quantity, unitCost }) => sum + quantity * unitCost.amount, 0)),
      note: null,
    });
    for (const { productId, quantity } of lines) this.move(productId, orderedAt, { onOrder: quantity });
    const arrives = dayAfter(day, Math.max(1, Math.round(leadTime * random.between(0.8, 1.3))));
    this.on(arrives, () => {
      const receivedAt = instantOn(arrives, random.whole(0, 60));
      for (const { productId, quantity } of lines)
        this.move(productId, receivedAt, { onHand: quantity, onOrder: -quantity });
      draft.change('purchaseOrder', id, receivedAt, { status: 'received', receivedAt });
    });
  }

  /** Enough for one and a half lead times and a fortnight: nothing runs short unless it is neglected. */
  private reorderPoint(article: Article, day: string): number {
    return expectedDemand(article, day, this.draft.from) * (article.offer.leadTimeDays * 1.6 + 14) + 6;
  }

  private shelf(productId: string): Shelf {
    const shelf = this.shelves.get(productId);
    if (shelf === undefined) throw new RangeError(`there is no stock of ${productId}`);
    return shelf;
  }

  private move(productId: string, at: string, by: Partial<Record<'onHand' | 'reserved' | 'onOrder', number>>): void {
    const shelf = this.shelf(productId);
    for (const [what, change] of Object.entries(by)) shelf[what as 'onHand'] += change;
    shelf.changedAt = at;
  }

  private on(day: string, happen: () => void): void {
    this.agenda.set(day, [...(this.agenda.get(day) ?? []), happen]);
  }
}
