/** Secrets that all servers of one desk share: drawn by the first that needs one. */
import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { type Db, theRow } from '../database/database.ts';
import type { ServerSecrets } from '../ports/people.ts';

export const serverSecrets = pgTable('server_secrets', {
  name: text().primaryKey(),
  /** 256 random bits, base64url. */
  secret: text().notNull(),
});

export function createServerSecrets(db: Db): ServerSecrets {
  return {
    async get(name) {
      const secret = randomBytes(32).toString('base64url');
      await db.insert(serverSecrets).values({ name, secret }).onConflictDoNothing();
      return theRow(await db.select().from(serverSecrets).where(eq(serverSecrets.name, name))).secret;
    },
  };
}
