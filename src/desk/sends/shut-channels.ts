/** Channels that are shut. The clock is the database's, so hosts need not agree. */
import { and, asc, eq, lte, sql, type SQL } from 'drizzle-orm';
import type { TenantId } from '../../domain/ids.ts';
import { type Db, theRow } from '../database/database.ts';
import type { Desk } from '../desk.ts';
import { shutChannels } from './schema.ts';

/** Whoever mends it does not wait long, and a provider that says no is not hammered. */
const [FIRST_S, LONGEST_S] = [60, 900];
/** Longer than a provider's answer is waited for. */
const PROBE_S = 30;

const waitMs = sql<number>`greatest(1, ceil(extract(epoch from ${shutChannels.until} - clock_timestamp()) * 1000))::float8`;

export function createShutChannels(db: Db): Desk['shutChannels'] {
  return {
    shut: (refused) => shutChannel(db, refused),
    async wait({ tenant, channel }) {
      const isIt = isChannel(tenant, channel);
      const [row] = await db
        .select({ waitMs, isOver: sql<boolean>`${shutChannels.until} <= clock_timestamp()` })
        .from(shutChannels)
        .where(isIt);
      if (row === undefined) return 0;
      if (!row.isOver) return row.waitMs;
      const probing = await db
        .update(shutChannels)
        .set({ until: inSeconds(sql`${PROBE_S}::float8`) })
        .where(and(isIt, lte(shutChannels.until, sql`clock_timestamp()`)))
        .returning({ channel: shutChannels.channel });
      return probing.length > 0 ? 0 : PROBE_S * 1_000;
    },
    async reopen({ tenant, channel }) {
      await db.delete(shutChannels).where(isChannel(tenant, channel));
    },
    list: (tenant) =>
      db
        .select({
          ...{ channel: shutChannels.channel, code: shutChannels.code },
          ...{ since: shutChannels.since, until: shutChannels.until },
        })
        .from(shutChannels)
        .where(eq(shutChannels.tenant, tenant))
        .orderBy(asc(shutChannels.channel)),
  };
}

/** As the port says; also within the transaction of a status that tells of a refusal. Refusals of one moment are one. */
export async function shutChannel(
  db: Db,
  { tenant, channel, code }: { readonly tenant: TenantId; readonly channel: string; readonly code: string },
): Promise<number> {
  const isAnother = sql`${shutChannels.until} - clock_timestamp() <= ${`${PROBE_S} seconds`}::interval`;
  const seconds = sql`least(${FIRST_S} * power(2, least(${shutChannels.refusals}, 10)), ${LONGEST_S})::float8`;
  const rows = await db
    .insert(shutChannels)
    .values({
      ...{ tenant, channel, code, refusals: 1 },
      ...{ since: sql`clock_timestamp()`, until: inSeconds(sql`${FIRST_S}::float8`) },
    })
    .onConflictDoUpdate({
      target: [shutChannels.tenant, shutChannels.channel],
      set: {
        code,
        refusals: sql`${shutChannels.refusals} + case when ${isAnother} then 1 else 0 end`,
        until: sql`case when ${isAnother} then ${inSeconds(seconds)} else ${shutChannels.until} end`,
      },
    })
    .returning({ waitMs });
  return theRow(rows).waitMs;
}

function inSeconds(seconds: SQL): SQL {
  return sql`clock_timestamp() + ${seconds} * interval '1 second'`;
}

function isChannel(tenant: TenantId, channel: string): SQL | undefined {
  return and(eq(shutChannels.tenant, tenant), eq(shutChannels.channel, channel));
}
