/**
 * The port to a tenant's ERP. One `Erp` belongs to one tenant: nothing of another can be read or written through it.
 * Every method throws `ErpError` (erp-error.ts) when there is no answer; everything the ERP *does* answer is a value.
 * Records and commands: domain/schemas/erp-records.ts and erp-writes.ts.
 */
import type { TenantId } from '../domain/ids.ts';
import type { ErpKind, ErpRecord, ErpWhere } from '../domain/schemas/erp-records.ts';
import type { ErpAnswer, ErpCommand, ErpDone, RecordVersion } from '../domain/schemas/erp-writes.ts';

/** What a watcher is handed: it may look, and nothing else. */
export interface ErpReads {
  /**
   * Records of one kind in the order in which they last changed, each once, as they are now. With the `nextCursor` of an
   * earlier call: only what has changed since, which is what a watcher keeps in its state; without: from the beginning.
   * A record that changes while somebody pages comes again at the end. `where` narrows by equality and does not move
   * the order: a cursor is good only for the `where` it was given for. A record that changed so that it no longer fits
   * `where` is not told: a watcher that must see that reads without.
   * @throws {InvalidInputError} for a cursor or filter that is none of this kind's. @throws {ErpError}
   */
  list<Kind extends ErpKind>(kind: Kind, options: ListOptions<Kind>): Promise<ErpPage<ErpRecord<Kind>>>;
  /** Undefined: there is none. @throws {ErpError} */
  get<Kind extends ErpKind>(kind: Kind, id: string, options?: CallOptions): Promise<ErpRecord<Kind> | undefined>;
  /**
   * Units ordered by customers per business day, cancelled orders left out, `from` and `to` included; a day without
   * demand is absent. Of at most 100 products and 400 days; each product asked for is there. @throws {ErpError}
   */
  demand(query: DemandQuery & CallOptions): Promise<readonly ProductDemand[]>;
}

export interface Erp extends ErpReads {
  /**
   * Does one thing, once for each `idempotencyKey`: asked again, also at the same time, it answers what the first time
   * answered, whatever has changed since, and does nothing. The key is looked up before the precondition is.
   * @throws {ErpError} `unknown_fate`: it may have been done. Ask `findByKey`, or just write again with the same key.
   */
  write(command: ErpCommand, options: WriteOptions): Promise<ErpAnswer>;
  /** What was done under the key; undefined: nothing was, and nothing is still on its way. @throws {ErpError} */
  findByKey(idempotencyKey: string, options?: CallOptions): Promise<ErpDone | undefined>;
  /**
   * Which records changed since `cursor`, oldest first, all kinds together; a record that changed twice may come once.
   * From here `record.changed` events come. `cursor: null`: no items, only the cursor of now. @throws {ErpError}
   */
  changes(
    options: { readonly cursor: string | null; readonly limit: number } & CallOptions,
  ): Promise<ErpPage<ErpChange>>;
}

/** The ERPs of all tenants that have one. */
export interface Erps {
  /** Undefined: the configuration gives this tenant none. */
  of(tenant: TenantId): Erp | undefined;
}

export interface CallOptions {
  /** Gives the call up. A write that was given up on its way has an unknown fate. */
  readonly signal?: AbortSignal;
}

export interface ListOptions<Kind extends ErpKind> extends CallOptions {
  readonly cursor?: string | undefined;
  /** 1 to 500. */
  readonly limit: number;
  readonly where?: ErpWhere<Kind>;
}

export interface WriteOptions extends CallOptions {
  /** `{investigation run}:{step}`; 1 to 300 visible ASCII characters. */
  readonly idempotencyKey: string;
  /**
   * Records that must still have the version with which they were read; else the answer is `stale` and nothing is done.
   * At most 20; empty: whatever is there now. A stock level changes with every sale: read it again right before the
   * write and judge by its content whether the proposal still holds, and name the version just read.
   */
  readonly precondition: readonly RecordVersion[];
}

export interface ErpPage<Item> {
  readonly items: readonly Item[];
  /** Always given, also at the end: what has changed after these. */
  readonly nextCursor: string;
  /** There is more right now. */
  readonly hasMore: boolean;
}

export interface DemandQuery {
  readonly productIds: readonly string[];
  /** Local ISO dates. */
  readonly from: string;
  readonly to: string;
}

export interface ProductDemand {
  readonly productId: string;
  /** Ascending. */
  readonly days: readonly { readonly on: string; readonly quantity: number }[];
}

export interface ErpChange {
  readonly kind: ErpKind;
  readonly id: string;
  readonly version: string;
  /** ISO UTC. */
  readonly at: string;
}
