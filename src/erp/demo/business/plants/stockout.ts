/** Neglected products run short; others are low for a good reason. */
import type { Article } from '../catalogue.ts';
import type { Draft } from '../draft.ts';
import { dayAfter } from '../../../../domain/days.ts';
import { instantOn } from '../days.ts';
import { expectedDemand } from '../trade.ts';
import type { Plant } from './plant.ts';

/**
 * Short: what is there and ordered covers 10 to 45 % of the demand of a lead time. Every third has an order under way
 * that is far too small.
 */
export function shortage(articles: readonly Article[]): Plant {
  return (draft, _, n) => {
    const article = articles[n];
    if (article === undefined) return undefined;
    const needed = neededFor(article, draft);
    const stock = draft.get('stock', article.product.id);
    const covered = Math.floor(needed * draft.random.fork(`short ${n}`).between(0.1, 0.45));
    const { packSize, minQuantity } = article.offer;
    const small =
      n % 3 === 2 && stock.onOrder === 0 && minQuantity < covered ? Math.floor(covered / 2 / packSize) * packSize : 0;
    if (small > 0) onItsWay(draft, article, { quantity: small, in: 3 });
    const onHand = Math.max(0, covered - small - stock.onOrder) + stock.reserved;
    draft.change('stock', stock.id, draft.end, { onHand, onOrder: stock.onOrder + small });
    return { id: stock.id, how: small > 0 ? 'the open order is far too small' : 'nobody has ordered' };
  };
}

/** Low, and rightly so: the delivery comes in time; or nobody buys it any more, since it is not sold any more. */
export function lowForAReason(articles: readonly Article[]): Plant {
  return (draft, _, n) => {
    const article = articles[n];
    if (article === undefined) return undefined;
    const stock = draft.get('stock', article.product.id);
    if (n % 2 === 0) {
      const days = Math.min(2, article.offer.leadTimeDays);
      const quantity = Math.ceil((neededFor(article, draft) * 2.2) / article.offer.packSize) * article.offer.packSize;
      onItsWay(draft, article, { quantity, in: days });
      const onHand = stock.reserved + Math.ceil(article.dailyDemand * (days + 2) * 2);
      draft.change('stock', stock.id, draft.end, { onHand, onOrder: stock.onOrder + quantity });
      return { id: stock.id, how: 'a large delivery arrives in two days' };
    }
    draft.change('product', article.product.id, draft.end, { isActive: false });
    draft.change('stock', stock.id, draft.end, { onHand: stock.reserved });
    return { id: stock.id, how: 'is not sold any more' };
  };
}

/** The demand of a lead time, as it stands today. */
function neededFor(article: Article, draft: Draft): number {
  return expectedDemand(article, draft.until, draft.from) * article.offer.leadTimeDays;
}

function onItsWay(
  draft: Draft,
  { product, offer }: Article,
  { quantity, in: days }: { quantity: number; in: number },
): void {
  const id = draft.nextId('purchaseOrder');
  const orderedOn = draft.today(days - offer.leadTimeDays);
  draft.put('purchaseOrder', instantOn(orderedOn, 297), {
    id,
    number: `PO-${id.slice(-5)}`,
    supplierId: offer.supplierId,
    status: 'open',
    orderedAt: instantOn(orderedOn, 297),
    expectedOn: dayAfter(orderedOn, offer.leadTimeDays),
    receivedAt: null,
    lines: [{ productId: product.id, quantity, unitCost: offer.unitCost }],
    total: draft.money(quantity * offer.unitCost.amount),
    note: null,
  });
}
