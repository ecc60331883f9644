/** The column types all tables share: how values cross between JSON-shaped code and SQL. */
import { sql, type SQL } from 'drizzle-orm';
import { customType, type PgColumn } from 'drizzle-orm/pg-core';
import type { Json } from '../../domain/json.ts';
import { storable, storableText } from '../../domain/storable.ts';

/**
 * An instant: ISO-8601 UTC with milliseconds in code, timestamptz in the database. Cut to milliseconds on the way in,
 * so that what comes back compares equal to what went in. Year 0 becomes year 1: PostgreSQL has no year 0.
 */
export const instant = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp(3) with time zone',
  toDriver: (text) => new Date(text).toISOString().replace(/^0000/, '0001'),
  fromDriver: (text) => new Date(text).toISOString(),
});

/** Text as PostgreSQL can hold it. */
export const words = customType<{ data: string; driverData: string }>({
  dataType: () => 'text',
  toDriver: storableText,
});

/** jsonb of one shape. Handed over as text: both drivers would otherwise encode a string twice. */
export const json = <Shape extends Json | object>() =>
  customType<{ data: Shape; driverData: unknown }>({
    dataType: () => 'jsonb',
    toDriver: (value) => JSON.stringify(storable(value)),
    fromDriver: (value) => value as Shape,
  });

/** The key begins so. What no key begins with finds none. */
export function keyBegins(column: PgColumn, beginning: string): SQL {
  const [least, most] = ['0', 'f'].map((filler) => beginning + A_KEY.replaceAll('x', filler).slice(beginning.length));
  if (least === undefined || most === undefined || !isKey(least) || !isKey(most)) return sql`false`;
  return sql`${column} between ${least}::uuid and ${most}::uuid`;
}
const A_KEY = 'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx';

/** Can it be a key that the database made, a UUID? Callers may name anything, and the database refuses what is none. */
export function isKey(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
