/** The column types all tables share: how values cross between JSON-shaped code and SQL. */
import { customType } from 'drizzle-orm/pg-core';
import { wellFormed } from '../domain/well-formed.ts';
import type { Json } from '../domain/json.ts';

/**
 * An instant: ISO-8601 UTC with milliseconds in code, timestamptz in the database. Cut to milliseconds on the way in,
 * so that what comes back compares equal to what went in. Year 0 becomes year 1: PostgreSQL has no year 0.
 */
export const instant = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp(3) with time zone',
  toDriver: (text) => new Date(text).toISOString().replace(/^0000/, '0001'),
  fromDriver: (text) => new Date(text).toISOString(),
});

/** Text as PostgreSQL can hold it: without NUL, and with lone surrogates replaced, so that no message is lost for one character. */
export const words = customType<{ data: string; driverData: string }>({
  dataType: () => 'text',
  toDriver: wellFormed,
});

/** jsonb of one shape. Handed over as text: both drivers would otherwise encode a string twice. */
export const json = <Shape extends Json | object>() =>
  customType<{ data: Shape; driverData: unknown }>({
    dataType: () => 'jsonb',
    toDriver: (value) => JSON.stringify(storable(value)),
    fromDriver: (value) => value as Shape,
  });

/** The same value with every text in it well-formed, keys included. */
export function storable<Value>(value: Value): Value {
  if (typeof value === 'string') return wellFormed(value) as Value;
  if (Array.isArray(value)) return value.map(storable) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [wellFormed(key), storable(item as unknown)]),
  ) as Value;
}

/** Can it be a key that the database made, a UUID? Callers may name anything, and the database refuses what is none. */
export function isKey(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
