/** What changed in the desk, as its tables tell it: see `migrations/0007-changes.ts`. */
import { and, asc, eq, gt, lt, sql, type SQL } from 'drizzle-orm';
import { bigint, pgTable, text } from 'drizzle-orm/pg-core';
import type { EventSubject, TenantId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { instant, json } from './columns.ts';
import type { Db } from './database.ts';
import type { ChangeLog } from '../ports/changes.ts';

/** Unlogged: empty after a crash. */
export const changes = pgTable('changes', {
  seq: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  at: instant()
    .notNull()
    .default(sql`clock_timestamp()`),
  tenant: text().$type<TenantId>().notNull(),
  type: text().notNull(),
  subject: text().$type<EventSubject>(),
  data: json<JsonObject>()().notNull(),
});

export function createChangeLog(db: Db): ChangeLog {
  const read = (where: SQL | undefined) =>
    db.select().from(changes).where(where).orderBy(asc(changes.seq)).limit(sql.placeholder('limit'));
  const after = gt(changes.seq, sql.placeholder('seq'));
  // Built once: a server reads ten times a second.
  const ofAll = read(after).prepare('changes_of_all');
  const ofOne = read(and(after, eq(changes.tenant, sql.placeholder('tenant')))).prepare('changes_of_one');
  return {
    after: ({ seq, tenant, limit }) =>
      tenant === undefined ? ofAll.execute({ seq, limit }) : ofOne.execute({ seq, limit, tenant }),
    async kept() {
      const [row] = await db
        .select({
          first: sql<number | null>`min(${changes.seq})::float8`,
          last: sql<number | null>`max(${changes.seq})::float8`,
        })
        .from(changes);
      return row === undefined || row.first === null || row.last === null ? null : { first: row.first, last: row.last };
    },
    async prune(olderThanMs) {
      await db.delete(changes).where(
        and(
          lt(changes.at, sql`clock_timestamp() - ${olderThanMs}::float8 * interval '1 millisecond'`),
          // The newest says how far it has got.
          sql`${changes.seq} < (select max(seq) from changes)`,
        ),
      );
    },
  };
}
