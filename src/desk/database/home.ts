/** Where this desk's runs live. */
import { eq, notExists } from 'drizzle-orm';
import { boolean, pgTable } from 'drizzle-orm/pg-core';
import { words } from './columns.ts';
import { theRow, type Db } from './database.ts';
import type { Desk } from '../desk.ts';
import { runs } from '../runs/schema.ts';

/** One row at most. */
export const home = pgTable('home', {
  isHere: boolean('is_here').primaryKey().default(true),
  namespaceId: words('namespace_id').notNull(),
});

export function createHome(db: Db): Desk['home'] {
  return {
    async namespace(namespaceId) {
      const live = db.select({ attachment: runs.attachment }).from(runs).where(eq(runs.status, 'IN_PROGRESS'));
      await db
        .insert(home)
        .values({ namespaceId })
        .onConflictDoUpdate({ target: home.isHere, set: { namespaceId }, setWhere: notExists(live) });
      return theRow(await db.select().from(home)).namespaceId;
    },
  };
}
