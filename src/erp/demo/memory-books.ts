/** Books that live as long as the process: for tests, for measuring watchers, for the simulated server. */
import type { ErpKind, ErpRecord } from '../../domain/schemas/erp-records.ts';
import type { AnyRecord } from '../../domain/schemas/erp-writes.ts';
import { localDate } from '../../domain/local-time.ts';
import type { DemandQuery } from '../erp.ts';
import { type Books, fits, type KeptRecord, type KeptWrite, type RecordQuery, type Turn } from './books.ts';

export interface MemoryBooksOptions {
  /** In the order of their last change. */
  readonly records: readonly AnyRecord[];
  /** What a business day is counted in. */
  readonly timeZone?: string;
  readonly clock?: () => number;
}

export function createMemoryBooks({ records, timeZone = 'UTC', clock = Date.now }: MemoryBooksOptions): Books {
  const shelf = new Map<string, KeptRecord>();
  const writes = new Map<string, KeptWrite>();
  let head = 0;
  let last: Promise<unknown> = Promise.resolve();

  const nameOf = (kind: ErpKind, id: string): string => `${kind}/${id}`;
  // Taken out and put in again: a Map keeps the order of putting in, which is the order of changes.
  const store = (record: AnyRecord): void => {
    const name = nameOf(record.kind, record.record.id);
    shelf.delete(name);
    shelf.set(name, { ...record, seq: ++head });
  };
  for (const record of records) store(record);

  const get = async (kind: ErpKind, id: string): Promise<AnyRecord | undefined> => {
    const kept = shelf.get(nameOf(kind, id));
    return Promise.resolve(kept === undefined ? undefined : bare(kept));
  };
  const list = async ({ kind, after, limit, where }: RecordQuery): Promise<readonly KeptRecord[]> => {
    const found: KeptRecord[] = [];
    for (const kept of shelf.values()) {
      if (found.length === limit) break;
      if (kept.seq > after && (kind === undefined || kept.kind === kind) && fits(kept.record, where)) found.push(kept);
    }
    return Promise.resolve(found);
  };
  const findWrite = async (key: string): Promise<KeptWrite | undefined> => Promise.resolve(writes.get(key));

  return {
    get,
    list,
    findWrite,
    head: async () => Promise.resolve(head),
    async demand(query) {
      const orders = [...shelf.values()].flatMap((kept) => (kept.kind === 'order' ? [kept.record] : []));
      return Promise.resolve(demandOf(orders, query, timeZone));
    },
    async inTurn(act) {
      const turn = last.then(async () => {
        const made: AnyRecord[] = [];
        const kept = new Map<string, KeptWrite>();
        const result = await act(turnOn({ get, list, findWrite, made, kept, head: () => head, clock }));
        for (const record of made) store(record);
        for (const [key, write] of kept) writes.set(key, write);
        return result;
      });
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

function turnOn({
  made,
  kept,
  head,
  clock,
  ...reading
}: Pick<Books, 'get' | 'list' | 'findWrite'> & {
  readonly made: AnyRecord[];
  readonly kept: Map<string, KeptWrite>;
  readonly head: () => number;
  readonly clock: () => number;
}): Turn {
  // A write sees what it has itself put down.
  const get = async (kind: ErpKind, id: string): Promise<AnyRecord | undefined> =>
    made.findLast((one) => one.kind === kind && one.record.id === id) ?? reading.get(kind, id);
  return {
    ...reading,
    get,
    newId: async (kind) => Promise.resolve(`${kind.toLowerCase()}-w${head() + made.length + 1}`),
    async put(kind, fields) {
      const earlier = await get(kind, fields.id);
      const version = String(Number(earlier?.record.version ?? 0) + 1);
      const record = {
        kind,
        record: { ...fields, version, changedAt: new Date(clock()).toISOString() },
      } as unknown as AnyRecord;
      made.push(record);
      return record;
    },
    async keep(key, write) {
      kept.set(key, write);
      return Promise.resolve();
    },
  };
}

function demandOf(orders: readonly ErpRecord<'order'>[], { productIds, from, to }: DemandQuery, timeZone: string) {
  const days = new Map(productIds.map((id) => [id, new Map<string, number>()]));
  for (const { status, placedAt, lines } of orders) {
    if (status === 'cancelled') continue;
    const on = timeZone === 'UTC' ? placedAt.slice(0, 10) : localDate(placedAt, timeZone);
    if (on < from || on > to) continue;
    for (const { productId, quantity } of lines) {
      const ofProduct = days.get(productId);
      ofProduct?.set(on, (ofProduct.get(on) ?? 0) + quantity);
    }
  }
  return [...days].map(([productId, perDay]) => ({
    productId,
    days: [...perDay].map(([on, quantity]) => ({ on, quantity })).sort((a, b) => (a.on < b.on ? -1 : 1)),
  }));
}

function bare({ kind, record }: KeptRecord): AnyRecord {
  return { kind, record } as AnyRecord;
}
