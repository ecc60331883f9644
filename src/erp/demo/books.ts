/** Where the demo ERP keeps one tenant's records: in the desk's database, or in memory. The rules are not theirs. */
import type { ErpKind, ErpRecord } from '../../domain/schemas/erp-records.ts';
import type { AnyRecord, ErpDone } from '../../domain/schemas/erp-writes.ts';
import type { DemandQuery, ProductDemand } from '../erp.ts';

/** A record and its place in the order of changes: 1 upwards, every change takes the next, gaps never hide a later one. */
export type KeptRecord = AnyRecord & { readonly seq: number };

export interface RecordQuery {
  /** Undefined: all kinds. */
  readonly kind: ErpKind | undefined;
  readonly after: number;
  readonly limit: number;
  readonly where: Readonly<Record<string, string | undefined>>;
}

export interface Reading {
  get(kind: ErpKind, id: string): Promise<AnyRecord | undefined>;
  /** By `seq`, ascending. */
  list(query: RecordQuery): Promise<readonly KeptRecord[]>;
}

export interface Books extends Reading {
  /** The `seq` of the latest change. */
  head(): Promise<number>;
  demand(query: DemandQuery): Promise<readonly ProductDemand[]>;
  findWrite(key: string): Promise<KeptWrite | undefined>;
  /** Never two at once for a tenant, and all or nothing: what throws has changed nothing. */
  inTurn<Result>(act: (turn: Turn) => Promise<Result>): Promise<Result>;
}

/** A write on its way. */
export interface Turn extends Reading {
  findWrite(key: string): Promise<KeptWrite | undefined>;
  /** A name for a record that is new: `purchaseorder-w4711`. */
  newId(kind: ErpKind): Promise<string>;
  /** Gives it the next version and the next place in the order of changes. */
  put<Kind extends ErpKind>(kind: Kind, fields: Omit<ErpRecord<Kind>, 'version' | 'changedAt'>): Promise<AnyRecord>;
  keep(key: string, write: KeptWrite): Promise<void>;
}

export interface KeptWrite {
  /** Of the command: the same key for another one is a mistake. */
  readonly fingerprint: string;
  readonly done: ErpDone;
}

/** Does a record have all these fields? `productId` of an order means any of its lines. */
export function fits(record: ErpRecord, where: RecordQuery['where']): boolean {
  return Object.entries(where).every(([field, wanted]) => {
    if (wanted === undefined) return true;
    if (field === 'productId' && 'lines' in record) return record.lines.some(({ productId }) => productId === wanted);
    return (record as Readonly<Record<string, unknown>>)[field] === wanted;
  });
}
