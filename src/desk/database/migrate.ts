/** Brings a database to this version's tables. */
import { sql } from 'drizzle-orm';
import { type Db, rowsOf } from './database.ts';
import { initial } from './migrations/0001-initial.ts';
import { smallReads } from './migrations/0002-small-reads.ts';
import { outbox } from './migrations/0003-outbox.ts';
import { rulesOfContact } from './migrations/0004-rules-of-contact.ts';
import { requeues } from './migrations/0005-requeues.ts';
import { people } from './migrations/0006-people.ts';
import { changes } from './migrations/0007-changes.ts';
import { runLists } from './migrations/0008-run-lists.ts';
import { fanOut } from './migrations/0009-fan-out.ts';
import { demoErp } from './migrations/0010-demo-erp.ts';
import { investigations } from './migrations/0011-investigations.ts';
import { embedding } from './migrations/0012-embedding.ts';
import { reports } from './migrations/0013-reports.ts';
import { mediaAndPolls } from './migrations/0014-media-and-polls.ts';
import { foundAndRead } from './migrations/0015-found-and-read.ts';
import { pollNotesTable } from './migrations/0016-poll-notes.ts';
import { topicsAndEchoes } from './migrations/0017-topics-and-echoes.ts';
import { investigationsFound } from './migrations/0018-investigations-found.ts';
import { heldUp } from './migrations/0019-held-up.ts';
import { homeTable } from './migrations/0020-home.ts';
import { shutChannelsTable } from './migrations/0021-shut-channels.ts';
import { marketingStops } from './migrations/0022-marketing-stops.ts';
import { runsStoredAt } from './migrations/0023-runs-stored-at.ts';
import { letterSeals } from './migrations/0024-letter-seals.ts';
import { previousCloses } from './migrations/0025-previous-closes.ts';

/** Statements one by one, since PGlite's extended protocol takes one at a time. Never changed once released. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

const MIGRATIONS: readonly Migration[] = [
  initial,
  smallReads,
  outbox,
  rulesOfContact,
  requeues,
  people,
  changes,
  runLists,
  fanOut,
  demoErp,
  investigations,
  embedding,
  reports,
  mediaAndPolls,
  foundAndRead,
  pollNotesTable,
  topicsAndEchoes,
  investigationsFound,
  heldUp,
  homeTable,
  shutChannelsTable,
  marketingStops,
  runsStoredAt,
  letterSeals,
  previousCloses,
];

/** Any number that nothing else in the database locks. */
const MIGRATION_LOCK = 7_281_964_501;

/** Applies what is missing, in order, all or nothing. Safe when several processes start at once: the others wait. */
export async function migrate(db: Db): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await tx.execute(
      sql`create table if not exists attache_migrations (name text primary key, applied_at timestamp(3) with time zone not null default now())`,
    );
    const applied = await rowsOf<{ name: string }>(tx, sql`select name from attache_migrations`);
    for (const migration of MIGRATIONS) {
      if (applied.some(({ name }) => name === migration.name)) continue;
      for (const statement of migration.statements) await tx.execute(sql.raw(statement));
      await tx.execute(sql`insert into attache_migrations (name) values (${migration.name})`);
    }
  });
}
