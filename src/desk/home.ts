/** Where this desk's runs live. */
import { boolean, pgTable } from 'drizzle-orm/pg-core';
import { words } from './columns.ts';
import { theRow, type Db } from './database.ts';
import type { Desk } from './desk.ts';

/** One row at most. */
export const home = pgTable('home', {
  isHere: boolean('is_here').primaryKey().default(true),
  namespaceId: words('namespace_id').notNull(),
});

export function createHome(db: Db): Desk['home'] {
  return {
    async namespace(namespaceId) {
      await db.insert(home).values({ namespaceId }).onConflictDoNothing();
      return theRow(await db.select().from(home)).namespaceId;
    },
  };
}
