/** The one shape in which repositories see PGlite and PostgreSQL, and the locks they share. */
import { isNull, or, sql, type SQL, type SQLWrapper, type WithSubquery } from 'drizzle-orm';
import type { PgColumn, PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { EventSubject, TenantId } from '../../domain/ids.ts';

/** A database, or a transaction in it. */
export type Db = PgDatabase<PgQueryResultHKT>;

/** The row of a statement that always gives one. */
export function theRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('the database gave no row where there must be one');
  return row;
}

/**
 * Rows of a query written by hand, as the driver gives them (PGlite wraps them, postgres.js does not).
 * Only for values that need no mapping: texts, numbers, booleans.
 */
export async function rowsOf<Row>(db: Db, query: SQL): Promise<readonly Row[]> {
  const result: unknown = await db.execute(query);
  return (Array.isArray(result) ? result : (result as { readonly rows: readonly Row[] }).rows) as readonly Row[];
}

/** The database's clock, which all processes share. Unlike `now()` it goes on within a transaction. */
export const now = sql`clock_timestamp()`;

/** Not compared with Temporal for half a minute: what runs in a small fleet need not be asked for at every round. */
export function isUnchecked(checkedAt: PgColumn): SQL | undefined {
  return or(isNull(checkedAt), sql`${checkedAt} < clock_timestamp() - interval '30 seconds'`);
}

/** What two transactions may not do at once. `subject`: to store events, so that order of `seq` is order of commit. */
export type LockName =
  | readonly ['event', TenantId, string, string]
  | readonly ['contact', TenantId, string, string]
  | readonly ['subject', TenantId, EventSubject];

const LOCK_ORDER = { event: 0, contact: 1, subject: 2 } as const;

/**
 * Holds the locks until the transaction ends. Always event before contact before subject, contacts by address, and all
 * of them before the first write to a row that others may hold: two transactions can then never wait for each other.
 */
export async function lock(tx: Db, names: readonly LockName[]): Promise<void> {
  if (names.length === 0) return;
  const ordered = [...names].sort((a, b) => LOCK_ORDER[a[0]] - LOCK_ORDER[b[0]] || (a.join() < b.join() ? -1 : 1));
  // One statement, in which the rows of an array come in its order.
  const texts = JSON.stringify(ordered.map((name) => JSON.stringify(name)));
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(name, 0)) from jsonb_array_elements_text(${texts}::jsonb) as name`,
  );
}

/**
 * Writes to go out in one statement with the one that follows: `tx.with(...alongside(tx, writes)).insert(…)`. None of them
 * sees what another does, and no row may be written by two.
 */
export function alongside(tx: Db, writes: readonly SQLWrapper[]): WithSubquery[] {
  return writes.map((write, n) => tx.$with(`write_${n}`, {}).as(write.getSQL()));
}
