/** Token buckets shared by all processes. */
import { sql } from 'drizzle-orm';
import { type Db, rowsOf } from '../database/database.ts';
import type { Desk } from '../desk.ts';
import { limits } from './schema.ts';

/** A double holds seconds since 1970 to about 0.2 µs: two takes that exactly fill a bucket must not differ by that. */
const ROUNDING_S = 1e-5;

export function createLimits(db: Db): Desk['limits'] {
  return {
    async take({ key, perSecond, burst }) {
      // A bucket is one instant, the one at which it is full again: each token moves it on, and none is to be had that
      // would move it further ahead than the whole bucket is worth. The clock is the database's, so hosts need not agree.
      const token = sql`${1 / perSecond}::float8`;
      const now = sql`extract(epoch from now())::float8`;
      const next = sql`greatest(${limits.fullAt}, ${now}) + ${token}`;
      const fits = sql`${next} <= ${now} + ${burst}::float8 * ${token} + ${ROUNDING_S}::float8`;
      const [row] = await rowsOf<{ granted: boolean; wait_ms: number }>(
        db,
        sql`insert into ${limits} (key, full_at, granted) values (${key}, ${now} + ${token}, true)
            on conflict (key) do update set full_at = case when ${fits} then ${next} else ${limits.fullAt} end, granted = ${fits}
            returning granted, 1000 * (full_at + ${token} - ${burst}::float8 * ${token} - ${now}) as wait_ms`,
      );
      if (row === undefined || row.granted) return 0;
      return Math.max(1, Math.ceil(row.wait_ms));
    },
  };
}
