/** What the generator makes: a business's records, and the truth about them that a watcher has to find. */
import type { AnyRecord } from '../../../domain/schemas/erp-writes.ts';
import type { ErpKind } from '../../../domain/schemas/erp-records.ts';

/** `full`: 60 products, 8 suppliers, 150 customers, a year. `small`: 12, 3 and 20 over 90 days, to load many tenants with. */
export type BusinessSize = 'full' | 'small';

/** How many of each trouble, and of what only looks like it, are put in. */
export interface Plants {
  readonly stockouts: number;
  readonly overdueInvoices: number;
  readonly stalledDeals: number;
  readonly duplicatePayments: number;
  readonly lateShipments: number;
  /** Of each of the five: what a careless watcher would take for one. */
  readonly nearMisses: number;
}

/** The watchers' own keys. */
export type Trouble = 'stockout' | 'overdue-invoice' | 'stalled-deal' | 'duplicate-payment' | 'late-shipment';

/**
 * The truth about one record as of the end of `until`. Of a duplicate payment it is the later one. Between what is a
 * trouble and what is none there is a gap, so that a watcher may choose its thresholds within it:
 *
 * | trouble | is one | is none |
 * |---|---|---|
 * | stockout | on hand − reserved + on order < 0.6 × the expected demand of the lead time | > 1.3 × that and a week |
 * | overdue-invoice | ≥ 10 days past due (a broken promise: ≥ 3 days past), more than 5 % owed | ≤ 2 days, promised, disputed, reminded ≤ 3 days ago, < 1 % owed |
 * | stalled-deal | open, ≥ 21 days quiet, no next step ahead | ≤ 8 days quiet, or a next step ahead |
 * | duplicate-payment | same payee, ≤ 0.5 % apart, ≤ 10 days apart, same purchase order or a reference that differs in form or one slip | another purchase order, instalments `1/2` `2/2`, a month apart, one of them cancelled or refunded |
 * | late-shipment | not delivered and promised ≥ 2 days ago, or the carrier expects it ≥ 3 days after the promise, or under way without news ≥ 8 days | promised today or later and expected ≤ 1 day after, delivered, cancelled, replaced |
 */
export interface Label {
  readonly trouble: Trouble;
  readonly kind: ErpKind;
  readonly id: string;
  /** In a few words: how it was made. */
  readonly how: string;
}

export interface Business {
  /** In the order in which they last changed; versions are `1`. */
  readonly records: readonly AnyRecord[];
  readonly labels: {
    readonly troubles: readonly Label[];
    /** Not troubles, though they look like it. Everything that is in neither list is none. */
    readonly nearMisses: readonly Label[];
  };
}
