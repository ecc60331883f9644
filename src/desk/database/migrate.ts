/** Brings a database to this version's tables: those of `migrations/all.ts`. */
import { sql } from 'drizzle-orm';
import { type Db, rowsOf } from './database.ts';

/** Statements one by one, since PGlite's extended protocol takes one at a time. Never changed once released. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

/** Any number that nothing else in the database locks. */
const MIGRATION_LOCK = 7_281_964_501;

/** Applies what is missing, in order, all or nothing. Safe when several processes start at once: the others wait. */
export async function migrate(db: Db, migrations: readonly Migration[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await tx.execute(
      sql`create table if not exists attache_migrations (name text primary key, applied_at timestamp(3) with time zone not null default now())`,
    );
    const applied = await rowsOf<{ name: string }>(tx, sql`select name from attache_migrations`);
    for (const migration of migrations) {
      if (applied.some(({ name }) => name === migration.name)) continue;
      for (const statement of migration.statements) await tx.execute(sql.raw(statement));
      await tx.execute(sql`insert into attache_migrations (name) values (${migration.name})`);
    }
  });
}
