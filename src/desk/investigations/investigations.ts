/** The record of investigations: what lists and ended ones are read from. The workflow wins where the two differ. */
import { and, desc, eq, inArray, lt, or, sql } from 'drizzle-orm';
import type { InvestigationId, WorkflowId } from '../../domain/ids.ts';
import { pageOf, readPosition, writeCursor } from '../database/cursors.ts';
import { isUnchecked, now, type Db } from '../database/database.ts';
import { investigationActions, investigationOccurrences, investigations, IS_LIVE } from './schema.ts';
import type { Announce } from '../announcements/announce.ts';
import { investigationFact } from '../announcements/facts.ts';
import type { Investigations } from '../ports/investigations.ts';

export function createInvestigations(db: Db, announce: Announce): Investigations {
  return {
    record: ({ view, version, tell, counted }) =>
      db.transaction(async (tx) => {
        const { id, tenant, agent, status, openedAt } = view;
        const row = { id: id as InvestigationId, tenant, agent, status, openedAt, view, version };
        await tx
          .insert(investigations)
          .values(row)
          .onConflictDoUpdate({ target: investigations.id, set: row, setWhere: lt(investigations.version, version) });
        const workflowId = view.workflowId as WorkflowId;
        if (counted.length > 0)
          await tx
            .insert(investigationOccurrences)
            .values(counted.map((key) => ({ key, tenant, workflowId })))
            .onConflictDoNothing();
        await announce(
          tx,
          tell.map((notice) => investigationFact(view, notice)),
        );
      }),
    async countedBy(tenant, key) {
      const [row] = await db
        .select({ workflowId: investigationOccurrences.workflowId })
        .from(investigationOccurrences)
        .where(and(eq(investigationOccurrences.tenant, tenant), eq(investigationOccurrences.key, key)));
      return row?.workflowId ?? null;
    },
    liveUnchecked: async (limit) => uncheckedInvestigations(db, limit),
    async get(tenant, id) {
      const [row] = await db
        .select()
        .from(investigations)
        .where(and(eq(investigations.tenant, tenant), eq(investigations.id, id as InvestigationId)));
      return row?.view ?? null;
    },
    async list({ tenant, status, agent, beginning, limit, cursor }) {
      const rows = await db
        .select()
        .from(investigations)
        .where(
          and(
            eq(investigations.tenant, tenant),
            status && eq(investigations.status, status),
            agent && eq(investigations.agent, agent),
            beginning === undefined ? undefined : sql`starts_with(${investigations.id}, ${beginning})`,
            cursor === undefined ? undefined : olderThan(readPosition(cursor)),
          ),
        )
        .orderBy(desc(investigations.openedAt), desc(investigations.id))
        .limit(limit + 1);
      return pageOf(
        rows,
        limit,
        ({ view }) => view,
        ({ openedAt, id }) => writeCursor([openedAt, id]),
      );
    },
    wasTried: async (key) => (await db.$count(investigationActions, eq(investigationActions.key, key))) > 0,
    async tryAction(action) {
      const [isNew] = await db.insert(investigationActions).values(action).onConflictDoNothing().returning();
      if (isNew !== undefined) return { ...attemptOf(isNew), state: 'new' };
      const [row] = await db.select().from(investigationActions).where(eq(investigationActions.key, action.key));
      if (row === undefined) throw new Error('an action that was there has gone');
      return attemptOf(row);
    },
    async actionNotTried(key) {
      await db
        .delete(investigationActions)
        .where(and(eq(investigationActions.key, key), eq(investigationActions.state, 'trying')));
    },
    async settleAction({ key, ...settled }) {
      await db
        .update(investigationActions)
        .set({ ...settled, changedAt: now })
        .where(and(eq(investigationActions.key, key), eq(investigationActions.state, 'trying')));
    },
  };
}

/** The head of `investigations_unchecked`. Two reconcilers share the work instead of doing it twice. */
function uncheckedInvestigations(db: Db, limit: number) {
  const oldest = db
    .select({ id: investigations.id })
    .from(investigations)
    .where(IS_LIVE)
    .orderBy(sql`${investigations.checkedAt} asc nulls first`)
    .limit(limit)
    .for('update', { skipLocked: true });
  return db
    .update(investigations)
    .set({ checkedAt: now })
    .where(and(inArray(investigations.id, oldest), isUnchecked(investigations.checkedAt)))
    .returning({ view: investigations.view, version: investigations.version });
}

function olderThan([openedAt, id]: readonly [string, string]) {
  return or(
    lt(investigations.openedAt, openedAt),
    and(eq(investigations.openedAt, openedAt), lt(investigations.id, id as InvestigationId)),
  );
}

function attemptOf({ state, reference, detail, since }: typeof investigationActions.$inferSelect) {
  return { state, reference, detail, since };
}
