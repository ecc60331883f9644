/** A believable small business, the same for the same seed and day, with known troubles in it. */
import type { Business, BusinessSize, Label, Plants } from './business.ts';
import { type Article, type Catalogue, makeCatalogue, SIZES } from './catalogue.ts';
import { dayAfter } from '../../../domain/days.ts';
import { Draft } from './draft.ts';
import { keepBooks } from './money.ts';
import { duplicatePayment } from './plants/duplicate-payment.ts';
import { lateShipment } from './plants/late-shipment.ts';
import { overdueInvoice } from './plants/overdue-invoice.ts';
import type { Planting } from './plants/plant.ts';
import { stalledDeal } from './plants/stalled-deal.ts';
import { lowForAReason, shortage } from './plants/stockout.ts';
import { createRandom } from './random.ts';
import { talk } from './sales-talks.ts';
import { Trade } from './trade.ts';

/** What the demo shows: of everything a little. */
const DEMO_PLANTS: Plants = {
  stockouts: 1,
  overdueInvoices: 3,
  stalledDeals: 2,
  duplicatePayments: 1,
  lateShipments: 2,
  nearMisses: 3,
};

export interface GenerateOptions {
  /** Any text or number; another one, another business. */
  readonly seed: number | string;
  /** Today: a local ISO date. Nothing in the records is later than 14:00 UTC of it. */
  readonly until: string;
  readonly plants?: Partial<Plants>;
  readonly size?: BusinessSize;
  readonly currency?: string;
}

export function generateBusiness({
  seed,
  until,
  plants = {},
  size = 'full',
  currency = 'EUR',
}: GenerateOptions): Business {
  const counts = { ...DEMO_PLANTS, ...plants };
  const from = dayAfter(until, -SIZES[size].days);
  const draft = new Draft({ random: createRandom(seed), currency, from, until });
  const catalogue = makeCatalogue(draft, SIZES[size]);
  const { short, low } = chosen(draft, catalogue, counts);
  new Trade(draft, catalogue, new Set([...short, ...low].map(({ product }) => product.id))).run();
  keepBooks(draft, catalogue);
  talk(draft, catalogue, SIZES[size]);
  const plantings: readonly (readonly [Planting, number])[] = [
    [{ trouble: 'stockout', kind: 'stock', plant: shortage(short), nearMiss: lowForAReason(low) }, counts.stockouts],
    [overdueInvoice, counts.overdueInvoices],
    [stalledDeal, counts.stalledDeals],
    [duplicatePayment, counts.duplicatePayments],
    [lateShipment, counts.lateShipments],
  ];
  for (const [planting, count] of plantings) {
    plantAll(draft, catalogue, planting, count, 'plant');
    plantAll(draft, catalogue, planting, counts.nearMisses, 'nearMiss');
  }
  return { records: draft.records(), labels: { troubles: draft.troubles, nearMisses: draft.nearMisses } };
}

/** Shortages among what sells well: of what hardly sells, nobody could say whether it runs short. */
function chosen(
  draft: Draft,
  { articles }: Catalogue,
  counts: Plants,
): { short: readonly Article[]; low: readonly Article[] } {
  const lively = [...articles].sort((a, b) => b.dailyDemand - a.dailyDemand).slice(0, Math.ceil(articles.length * 0.6));
  const mixed = draft.random.fork('chosen').sample(lively, lively.length);
  return {
    short: mixed.slice(0, counts.stockouts),
    low: mixed.slice(counts.stockouts, counts.stockouts + counts.nearMisses),
  };
}

function plantAll(
  draft: Draft,
  catalogue: Catalogue,
  planting: Planting,
  count: number,
  what: 'plant' | 'nearMiss',
): void {
  const { trouble, kind } = planting;
  const labels: Label[] = what === 'plant' ? draft.troubles : draft.nearMisses;
  for (let n = 0; n < count; n += 1) {
    const made = planting[what](draft, catalogue, n);
    if (made !== undefined) labels.push({ trouble, kind, ...made });
  }
}
