/** Requests that may come twice: executed by one, answered to all. */
import { and, eq, isNull, lt, sql } from 'drizzle-orm';
import { now, type Db } from '../database/database.ts';
import type { Idempotency, RepeatableRequest } from '../ports/people.ts';
import { idempotency } from './schema.ts';

const KEPT = sql`interval '24 hours'`;
/** Longer than any request takes: whoever began and has not finished by then has died. */
const LEASE = sql`interval '2 minutes'`;

export function createIdempotency(db: Db): Idempotency {
  return {
    async begin({ tenant, route, key, bodyHash }) {
      await db.delete(idempotency).where(lt(idempotency.startedAt, sql`${now} - ${KEPT}`));
      const mine = await db
        .insert(idempotency)
        .values({ tenant, route, key, bodyHash })
        .onConflictDoUpdate({
          target: [idempotency.tenant, idempotency.route, idempotency.key],
          set: { startedAt: now },
          setWhere: sql`${idempotency.status} is null and ${idempotency.bodyHash} = ${bodyHash} and ${idempotency.startedAt} < ${now} - ${LEASE}`,
        })
        .returning({ key: idempotency.key });
      if (mine.length > 0) return { state: 'mine' };
      const [row] = await db.select().from(idempotency).where(isOf({ tenant, route, key }));
      // Given up in this very moment: whoever asks again gets it.
      if (row === undefined) return { state: 'running' };
      if (row.bodyHash !== bodyHash) return { state: 'other_body' };
      return row.status === null ? { state: 'running' } : { state: 'done', status: row.status, body: row.body ?? '' };
    },
    async finish({ status, body, ...request }) {
      await db.update(idempotency).set({ status, body }).where(isOf(request));
    },
    async abandon(request) {
      await db.delete(idempotency).where(and(isOf(request), isNull(idempotency.status)));
    },
  };
}

function isOf({ tenant, route, key }: RepeatableRequest) {
  return and(eq(idempotency.tenant, tenant), eq(idempotency.route, route), eq(idempotency.key, key));
}
