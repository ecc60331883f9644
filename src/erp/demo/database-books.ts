/** Books in the desk's database, in a schema of their own: PGlite or PostgreSQL, through any drizzle of either. */
import { sql, type SQL } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { storable } from '../../domain/storable.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { ErpKind, ErpRecord } from '../../domain/schemas/erp-records.ts';
import type { AnyRecord, ErpDone } from '../../domain/schemas/erp-writes.ts';
import type { DemandQuery } from '../erp.ts';
import type { Books, KeptRecord, KeptWrite, RecordQuery, Turn } from './books.ts';

export type Database = PgDatabase<PgQueryResultHKT>;

export interface DatabaseBooksOptions {
  readonly db: Database;
  readonly tenant: TenantId;
  /** What a business day is counted in. */
  readonly timeZone: string;
  readonly clock: () => number;
}

/** Of a tenant whose business has been set up: see open-business.ts. */
export function createDatabaseBooks({ db, tenant, timeZone, clock }: DatabaseBooksOptions): Books {
  return {
    ...readingOf(db, tenant),
    async head() {
      const [row] = await rowsOf<{ seq: string | number }>(
        db,
        sql`select last_seq as seq from erp.businesses where tenant = ${tenant}`,
      );
      return Number(row?.seq ?? 0);
    },
    demand: async (query) => demandOf(db, tenant, timeZone, query),
    inTurn: async (act) =>
      db.transaction(async (tx) => {
        // Its row is the turn: the next writer of this tenant waits here.
        const [row] = await rowsOf<{ seq: string | number }>(
          tx,
          sql`select last_seq as seq from erp.businesses where tenant = ${tenant} for update`,
        );
        const turn = turnOn({ tx, tenant, clock, from: Number(row?.seq ?? 0) });
        const result = await act(turn);
        await tx.execute(sql`update erp.businesses set last_seq = ${turn.last()} where tenant = ${tenant}`);
        return result;
      }),
  };
}

type ReadingOfBooks = Pick<Books, 'get' | 'list' | 'findWrite'>;

function readingOf(db: Database, tenant: TenantId): ReadingOfBooks {
  return {
    async get(kind, id) {
      const [row] = await rowsOf<{ data: ErpRecord }>(
        db,
        sql`select data from erp.records where tenant = ${tenant} and kind = ${kind} and id = ${id}`,
      );
      return row === undefined ? undefined : ({ kind, record: row.data } as AnyRecord);
    },
    async list({ kind, after, limit, where }: RecordQuery) {
      const rows = await rowsOf<{ kind: ErpKind; seq: string | number; data: ErpRecord }>(
        db,
        sql`select kind, seq, data from erp.records
            where tenant = ${tenant} and seq > ${after}
              ${kind === undefined ? sql`` : sql`and kind = ${kind}`} ${sql.join(Object.entries(where).map(filter))}
            order by seq limit ${limit}`,
      );
      return rows.map((row) => ({ kind: row.kind, record: row.data, seq: Number(row.seq) }) as KeptRecord);
    },
    async findWrite(key) {
      const [row] = await rowsOf<{ fingerprint: string; done: ErpDone }>(
        db,
        sql`select fingerprint, done from erp.writes where tenant = ${tenant} and key = ${key}`,
      );
      return row;
    },
  };
}

/** As `fits` in books.ts says it. */
function filter([field, wanted]: [string, string | undefined]): SQL {
  if (wanted === undefined) return sql``;
  if (field === 'productId') {
    const [flat, line] = [{ productId: wanted }, { lines: [{ productId: wanted }] }].map((shape) =>
      JSON.stringify(shape),
    );
    return sql` and (data @> ${flat}::jsonb or data @> ${line}::jsonb)`;
  }
  return sql` and data->>${field}::text = ${wanted}`;
}

function turnOn({
  tx,
  tenant,
  clock,
  from,
}: {
  readonly tx: Database;
  readonly tenant: TenantId;
  readonly clock: () => number;
  readonly from: number;
}): Turn & { last(): number } {
  const reading = readingOf(tx, tenant);
  let last = from;
  return {
    ...reading,
    last: () => last,
    newId: async (kind) => Promise.resolve(`${kind.toLowerCase()}-w${last + 1}`),
    async put(kind, fields) {
      const earlier = await reading.get(kind, fields.id);
      const version = String(Number(earlier?.record.version ?? 0) + 1);
      const record = { ...fields, version, changedAt: new Date(clock()).toISOString() };
      last += 1;
      await tx.execute(
        sql`insert into erp.records (tenant, kind, id, seq, data)
            values (${tenant}, ${kind}, ${fields.id}, ${last}, ${storedJson(record)}::jsonb)
            on conflict (tenant, kind, id) do update set seq = excluded.seq, data = excluded.data`,
      );
      return { kind, record } as unknown as AnyRecord;
    },
    async keep(key: string, { fingerprint, done }: KeptWrite) {
      await tx.execute(
        sql`insert into erp.writes (tenant, key, fingerprint, done)
            values (${tenant}, ${key}, ${fingerprint}, ${storedJson(done)}::jsonb)`,
      );
    },
  };
}

async function demandOf(db: Database, tenant: TenantId, timeZone: string, { productIds, from, to }: DemandQuery) {
  // A day more at either end, for any zone; then the zone's own days decide.
  const rows = await rowsOf<{ product: string; day: string; quantity: string | number }>(
    db,
    sql`select line->>'productId' as product, placed.day, sum((line->>'quantity')::int) as quantity
        from erp.records, jsonb_array_elements(data->'lines') as line,
          lateral (select to_char((data->>'placedAt')::timestamptz at time zone ${timeZone}, 'YYYY-MM-DD') as day) as placed
        where tenant = ${tenant} and kind = 'order' and data->>'status' <> 'cancelled'
          and data->>'placedAt' >= to_char(${from}::date - 1, 'YYYY-MM-DD')
          and data->>'placedAt' < to_char(${to}::date + 2, 'YYYY-MM-DD')
          and placed.day between ${from} and ${to}
          and line->>'productId' in (select jsonb_array_elements_text(${JSON.stringify(productIds)}::jsonb))
        group by 1, 2 order by 1, 2`,
  );
  return productIds.map((productId) => ({
    productId,
    days: rows
      .filter(({ product }) => product === productId)
      .map(({ day, quantity }) => ({ on: day, quantity: Number(quantity) })),
  }));
}

/** Without what PostgreSQL cannot hold: NUL and lone surrogates, which a model's text may have. */
function storedJson(value: object): string {
  return JSON.stringify(storable(value));
}

/** As the driver gives them: PGlite wraps them, postgres.js does not. */
export async function rowsOf<Row>(db: Database, query: SQL): Promise<readonly Row[]> {
  const result: unknown = await db.execute(query);
  return (Array.isArray(result) ? result : (result as { readonly rows: readonly Row[] }).rows) as readonly Row[];
}
