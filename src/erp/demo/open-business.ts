/**
 * Puts a generated business into the books of a tenant that has none. What is to be made is written down first; since
 * the generator makes the same of the same, any number of processes may do it at once, and a crash is made good by doing
 * it again.
 */
import { sql } from 'drizzle-orm';
import { setImmediate as pause } from 'node:timers/promises';
import type { TenantId } from '../../domain/ids.ts';
import type { BusinessSize, Plants } from './business/business.ts';
import { generateBusiness } from './business/generate-business.ts';
import { type Database, rowsOf } from './database-books.ts';

/** Rows of one statement: some 20 ms of an embedded database that others wait for. */
const ROWS_AT_ONCE = 400;

export interface BusinessSetup {
  readonly seed: string;
  readonly size: BusinessSize;
  readonly currency: string;
  readonly plants?: Partial<Plants>;
}

/** `today`: the local ISO date up to which the story goes, should it be new. Returns once the books are open. */
export async function openBusiness({
  db,
  tenant,
  today,
  setup,
}: {
  readonly db: Database;
  readonly tenant: TenantId;
  readonly today: string;
  readonly setup: BusinessSetup;
}): Promise<void> {
  await db.execute(
    sql`insert into erp.businesses (tenant, seed, size, currency, until)
        values (${tenant}, ${setup.seed}, ${setup.size}, ${setup.currency}, ${today}::date) on conflict do nothing`,
  );
  const [found] = await rowsOf<{ seed: string; size: BusinessSize; currency: string; until: string; is_open: boolean }>(
    db,
    sql`select seed, size, currency, until::text as until, is_open from erp.businesses where tenant = ${tenant}`,
  );
  if (found === undefined || found.is_open) return;
  const { records } = generateBusiness({ ...setup, ...found });
  for (let from = 0; from < records.length; from += ROWS_AT_ONCE) {
    const rows = records
      .slice(from, from + ROWS_AT_ONCE)
      .map(({ kind, record }, n) => ({ kind, id: record.id, seq: from + n + 1, data: record }));
    await db.execute(
      sql`insert into erp.records (tenant, kind, id, seq, data)
          select ${tenant}, row->>'kind', row->>'id', (row->>'seq')::bigint, row->'data'
          from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) as row
          on conflict do nothing`,
    );
    // Others in this process have their turn.
    await pause();
  }
  await db.execute(
    sql`update erp.businesses set is_open = true, last_seq = ${records.length} where tenant = ${tenant} and not is_open`,
  );
}
