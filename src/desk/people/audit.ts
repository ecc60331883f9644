/** Who asked for what, and what became of it. */
import { and, desc, eq, inArray, lt, or, sql } from 'drizzle-orm';
import { pageOf, readOrder, writeCursor } from '../database/cursors.ts';
import { type Db, theRow } from '../database/database.ts';
import type { Audit, AuditEntry } from '../ports/people.ts';
import { audit } from './schema.ts';

export function createAudit(db: Db): Audit {
  return {
    async open(entry) {
      return theRow(await db.insert(audit).values(entry).returning({ id: audit.id })).id;
    },
    async close(id, status) {
      await db.update(audit).set({ status }).where(eq(audit.id, id));
    },
    async list({ tenant, actor, act, target, limit, cursor }) {
      const below = target === undefined ? undefined : sql`starts_with(${audit.target}, ${`${target}/`})`;
      const rows = await db
        .select()
        .from(audit)
        .where(
          and(
            inArray(audit.tenant, [tenant, '*']),
            actor === undefined ? undefined : eq(audit.actor, actor),
            act === undefined ? undefined : eq(audit.act, act),
            target === undefined ? undefined : or(eq(audit.target, target), below),
            cursor === undefined ? undefined : lt(audit.id, readOrder(cursor)),
          ),
        )
        .orderBy(desc(audit.id))
        .limit(limit + 1);
      return pageOf(rows, limit, toEntry, ({ id }) => writeCursor(id));
    },
  };
}

function toEntry({ id, at, actor, act, target, reason, status }: typeof audit.$inferSelect): AuditEntry {
  return { id, at, actor, act, target, reason, status };
}
