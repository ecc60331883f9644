/** Who and what there is before the first sale: products, suppliers with their offers, customers. */
import type { ErpRecord } from '../../../domain/schemas/erp-records.ts';
import type { BusinessSize } from './business.ts';
import type { Draft } from './draft.ts';
import { instantOn } from './days.ts';
import { FIRST_NAMES, MAKER_ENDS, MAKERS, PLACES, SERVICES, THINGS, VARIANTS } from './words.ts';

export interface Size {
  readonly products: number;
  readonly suppliers: number;
  readonly customers: number;
  readonly days: number;
  readonly deals: number;
}
export const SIZES: Readonly<Record<BusinessSize, Size>> = {
  full: { products: 60, suppliers: 8, customers: 150, days: 365, deals: 80 },
  small: { products: 12, suppliers: 3, customers: 20, days: 90, deals: 12 },
};

/** What the generator alone knows of a product. */
export interface Article {
  readonly product: ErpRecord<'product'>;
  /** From its only, or its best, supplier. */
  readonly offer: ErpRecord<'offer'>;
  /** Expected units a day, the week and the season aside. */
  readonly dailyDemand: number;
  /** Where in the year its season stands, in radians. */
  readonly phase: number;
}

export interface Catalogue {
  readonly articles: readonly Article[];
  readonly customers: readonly ErpRecord<'customer'>[];
  /** Paid every month, without purchase orders. */
  readonly services: readonly ErpRecord<'supplier'>[];
}

export function makeCatalogue(draft: Draft, size: Size): Catalogue {
  const random = draft.random.fork('catalogue');
  const opened = instantOn(draft.from, 0);
  const suppliers = Array.from({ length: size.suppliers }, (_, n) => {
    const name = `${MAKERS[n % MAKERS.length]} ${random.pick(MAKER_ENDS)}`;
    return draft.put('supplier', opened, {
      id: draft.nextId('supplier'),
      name,
      email: `orders@${name.toLowerCase().replaceAll(' ', '-')}.example`,
      conversationId: null,
    });
  });
  // A supplier promises much the same time for all it sells.
  const leadTimes = suppliers.map(() => random.whole(5, 18));
  const articles = Array.from({ length: size.products }, (_, n): Article => {
    const at = random.whole(0, suppliers.length - 1);
    const product = makeProduct(draft, n, opened);
    const packSize = random.pick([1, 2, 4, 6]);
    const offer = draft.put('offer', opened, {
      id: draft.nextId('offer'),
      supplierId: suppliers[at]?.id ?? '',
      productId: product.id,
      unitCost: product.cost,
      minQuantity: packSize * random.whole(1, 4),
      packSize,
      leadTimeDays: (leadTimes[at] ?? 10) + random.whole(0, 2),
    });
    return { product, offer, dailyDemand: 0.3 * 6 ** random.unit(), phase: random.between(0, 2 * Math.PI) };
  });
  return { articles, customers: makeCustomers(draft, size, opened), services: makeServices(draft, opened) };
}

function makeProduct(draft: Draft, n: number, opened: string): ErpRecord<'product'> {
  const random = draft.random.fork(`product ${n}`);
  const thing = THINGS[n % THINGS.length] ?? 'Thing';
  const variant = VARIANTS[Math.floor(n / THINGS.length) % VARIANTS.length] ?? '';
  const cost = random.whole(15, 600) * 10;
  return draft.put('product', opened, {
    id: draft.nextId('product'),
    sku: `${thing.slice(0, 3).toUpperCase()}-${100 + n}`,
    name: `${thing}, ${variant}`,
    price: draft.money(Math.round((cost * random.between(1.4, 2.2)) / 10) * 10),
    cost: draft.money(cost),
    isActive: true,
  });
}

function makeCustomers(draft: Draft, { customers }: Size, opened: string): ErpRecord<'customer'>[] {
  const random = draft.random.fork('customers');
  return Array.from({ length: customers }, (_, n) => {
    const id = draft.nextId('customer');
    return draft.put('customer', opened, {
      id,
      name: `${random.pick(PLACES)} ${random.pick(FIRST_NAMES)}`,
      email: random.happens(0.9) ? `${id}@customers.example` : null,
      phone: null,
      conversationId: random.happens(0.6) ? (`customer-${n + 1}` as never) : null,
    });
  });
}

function makeServices(draft: Draft, opened: string): ErpRecord<'supplier'>[] {
  return SERVICES.map((name) =>
    draft.put('supplier', opened, {
      id: draft.nextId('supplier'),
      name,
      email: `billing@${name.toLowerCase().replaceAll(' ', '-')}.example`,
      conversationId: null,
    }),
  );
}
