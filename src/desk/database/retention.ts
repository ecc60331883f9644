/**
 * How long the desk keeps what it does not need any more. Runs, conversations, contacts, messages, acts and the audit are the
 * record of a business and are kept; so is everything of which somebody may still ask whether it happened before.
 */
import { sql, type SQL } from 'drizzle-orm';
import { type Db, rowsOf } from './database.ts';
import type { Forgotten, Retention } from '../ports/retention.ts';

const DAY_MS = 86_400_000;

interface Horizon {
  readonly table: string;
  readonly days: number;
  /** Which rows, where they are older than the instant it is given. */
  readonly isPast: (before: SQL) => SQL;
}

/** In this order: what refers to others goes first. */
const HORIZONS: readonly Horizon[] = [
  // The horizon of deduplication (docs/design/events.md): longer than a run may sleep.
  { table: 'deliveries', days: 400, isPast: (before) => sql`at < ${before}` },
  // No provider repeats itself after so long, and no delivery refers to them any more. A takeover speaks against sends for ever.
  {
    table: 'events',
    days: 400,
    isPast: (before) =>
      sql`stored_at < ${before} and status <> 'stored' and took_over is null and not exists (select 1 from deliveries where event_key = events.key)`,
  },
  // Read by timelines alone.
  { table: 'ticks', days: 90, isPast: (before) => sql`ended_at < ${before}` },
  // An effect is retried for 24 hours, a status comes within weeks; caps count days. What was said is in the transcript.
  {
    table: 'ledger',
    days: 180,
    isPast: (before) => sql`changed_at < ${before} and state in ('sent', 'failed', 'refused', 'cancelled', 'unknown')`,
  },
  {
    table: 'webhook_attempts',
    days: 90,
    isPast: (before) =>
      sql`exists (select 1 from webhook_deliveries where id = delivery and finished_at < ${before} and state <> 'held')`,
  },
  {
    table: 'webhook_deliveries',
    days: 90,
    isPast: (before) =>
      sql`finished_at < ${before} and state <> 'held' and not exists (select 1 from webhook_attempts where delivery = webhook_deliveries.id)`,
  },
  // An effect is tried again for 24 hours by default, and for days at most.
  { table: 'investigation_occurrences', days: 30, isPast: (before) => sql`at < ${before}` },
  // With the receipt.
  { table: 'fan_outs', days: 90, isPast: (before) => sql`finished_at < ${before}` },
  // A bucket that is full is as good as none.
  { table: 'limits', days: 1, isPast: (before) => sql`full_at < extract(epoch from ${before})` },
];

export function createRetention(db: Db): Retention {
  return {
    async forget({ now, limit }) {
      const forgotten: Record<string, number> = {};
      for (const horizon of HORIZONS) forgotten[horizon.table] = await forget(db, { horizon, now, limit });
      return forgotten satisfies Forgotten;
    },
  };
}

async function forget(
  db: Db,
  { horizon, now, limit }: { readonly horizon: Horizon; readonly now: string; readonly limit: number },
): Promise<number> {
  const table = sql.identifier(horizon.table);
  const before = sql`${new Date(Date.parse(now) - horizon.days * DAY_MS).toISOString()}::timestamptz`;
  const past = sql`select ctid from ${table} where ${horizon.isPast(before)} limit ${limit}`;
  const [row] = await rowsOf<{ count: number }>(
    db,
    sql`with gone as (delete from ${table} where ctid = any(array(${past})) returning 1) select count(*)::int as count from gone`,
  );
  return row?.count ?? 0;
}
