/** Makes `record.changed` events of what changes in the tenants' ERPs: wakes watchers before their next poll. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { InvalidInputError } from '../domain/errors.ts';
import { BUSINESS, type TenantId } from '../domain/ids.ts';
import type { EventInput } from '../domain/schemas/events.ts';
import { type Database, rowsOf } from './demo/database-books.ts';
import type { Erp, Erps } from './erp.ts';

/** What an urgent change may wait for; one call of a tenant's rate in each. */
const EVERY_MS = 5_000;
const CHANGES_AT_ONCE = 200;
/** A quiet business costs one short call: few at once are enough, and leave the desk to others. */
const TENANTS_AT_ONCE = 4;

export interface FeedDeps {
  readonly erps: Erps;
  /** Those with an ERP. */
  readonly tenants: readonly TenantId[];
  readonly database: Database;
  /** Stores events, each once by its id. @throws when they are not stored: then they come again. */
  readonly publish: (tenant: TenantId, events: readonly EventInput[]) => Promise<void>;
  readonly log: { warn(fields: { readonly tenant: string; readonly error: string }, message: string): void };
}

export interface Feed {
  /** Reads every tenant's changes once. Any number of processes may: an event has its id from the change. */
  readAll(): Promise<void>;
  /** Until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

export function createFeed(deps: FeedDeps): Feed {
  const readAll = async (signal?: AbortSignal): Promise<void> => {
    const left = [...deps.tenants];
    const reader = async (): Promise<void> => {
      for (let tenant = left.shift(); tenant !== undefined && signal?.aborted !== true; tenant = left.shift())
        await readOne(deps, tenant, signal).catch((error: unknown) => {
          if (signal?.aborted !== true)
            deps.log.warn({ tenant, error: nameOf(error) }, 'the changes of an ERP could not be read');
        });
    };
    await Promise.all(Array.from({ length: TENANTS_AT_ONCE }, reader));
  };
  return {
    readAll: async () => readAll(),
    async run(signal) {
      while (!signal.aborted) {
        await readAll(signal);
        await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

/** The first reading only remembers the place: what was there before the feed wakes nobody. */
async function readOne({ erps, database, publish }: FeedDeps, tenant: TenantId, signal?: AbortSignal): Promise<void> {
  const erp = erps.of(tenant);
  if (erp === undefined) return;
  const options = { limit: CHANGES_AT_ONCE, ...(signal === undefined ? {} : { signal }) };
  let cursor = await cursorOf(database, tenant);
  for (;;) {
    const page = await pageFrom(erp, { ...options, cursor });
    if (page.items.length > 0)
      await publish(
        tenant,
        page.items.map(({ kind, id, version, at }) => ({
          // With the instant: an ERP that was set back gives versions a second time.
          id: `${kind}/${id}/${version}/${at}`,
          source: 'erp',
          type: 'record.changed',
          time: at,
          subject: BUSINESS,
          data: { record: kind, recordId: id, change: { version } },
        })),
      );
    // After they are stored: a crash in between publishes them again, under the same ids.
    if (page.nextCursor !== cursor) await keepCursor(database, tenant, page.nextCursor);
    if (!page.hasMore) return;
    cursor = page.nextCursor;
  }
}

/** An ERP that was set up anew knows no cursor of before: from now on, then; watchers read the rest from the first at their next poll. */
async function pageFrom(erp: Erp, options: Parameters<Erp['changes']>[0]) {
  try {
    return await erp.changes(options);
  } catch (error) {
    if (options.cursor === null || !(error instanceof InvalidInputError)) throw error;
    return erp.changes({ ...options, cursor: null });
  }
}

async function cursorOf(db: Database, tenant: TenantId): Promise<string | null> {
  const [row] = await rowsOf<{ cursor: string }>(db, sql`select cursor from erp.feeds where tenant = ${tenant}`);
  return row?.cursor ?? null;
}

async function keepCursor(db: Database, tenant: TenantId, cursor: string): Promise<void> {
  await db.execute(
    sql`insert into erp.feeds (tenant, cursor) values (${tenant}, ${cursor})
        on conflict (tenant) do update set cursor = excluded.cursor`,
  );
}

/** Not its message: a database's error quotes values. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
