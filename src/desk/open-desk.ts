/** The only place that knows which database it is. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { DrizzleQueryError, sql } from 'drizzle-orm';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { drizzle as drizzlePostgres } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { holdFile } from '../machine/held-file.ts';
import { createActs } from './runs/acts.ts';
import { createChangeLog } from './database/change-log.ts';
import { createConversations } from './conversations/conversations.ts';
import type { Db } from './database/database.ts';
import type { Desk, Subscribers } from './desk.ts';
import {
  DatabaseUnreachableError,
  DeskLockedError,
  TablesRefusedError,
  withDeskErrors,
} from './database/desk-error.ts';
import { createEvents } from './events/events.ts';
import { createFanOuts } from './fan-out/fan-outs.ts';
import { createHome } from './database/home.ts';
import { createIntake } from './intake/intake.ts';
import { correctEcho } from './intake/messages.ts';
import { createInvestigations } from './investigations/investigations.ts';
import { createLedger, createTellFailed } from './sends/ledger.ts';
import { createLimits } from './sends/limits.ts';
import { migrate } from './database/migrate.ts';
import { MIGRATIONS } from './database/migrations/all.ts';
import { createAnnounce } from './announcements/announce.ts';
import { createOutbox } from './announcements/outbox.ts';
import { createAudit } from './people/audit.ts';
import { createIdempotency } from './people/idempotency.ts';
import { createKeys, createSessions } from './people/keys.ts';
import { createRetention } from './database/retention.ts';
import { createServerSecrets } from './people/server-secrets.ts';
import { createReports } from './runs/reports.ts';
import { createPolls } from './polls.ts';
import { PreparingPglite } from './database/preparing-pglite.ts';
import { createRuns } from './runs/runs.ts';
import { createShutChannels } from './sends/shut-channels.ts';
import { createSwitches } from './switches.ts';

export { DatabaseUnreachableError, DeskError, DeskLockedError, TablesRefusedError } from './database/desk-error.ts';

/** Connections of one process: a few more than the activities that write at once; PostgreSQL's default total is 100. */
const POOL_SIZE = 10;
const CONNECT_TIMEOUT_S = 10;

/**
 * Opens the desk and brings its tables up to date: PostgreSQL at `databaseUrl`, else PGlite in `${dataDir}/desk`.
 * @throws {DeskLockedError} when another process holds the embedded database. @throws {DatabaseUnreachableError} @throws {TablesRefusedError}
 */
export async function openDesk({
  databaseUrl,
  dataDir,
  subscribers = () => [],
  clock = Date.now,
}: DeskOptions): Promise<Desk> {
  return databaseUrl === undefined || databaseUrl === ''
    ? openEmbedded(join(dataDir, 'desk'), { subscribers, clock })
    : openServer(databaseUrl, { subscribers, clock });
}

interface DeskOptions {
  readonly databaseUrl?: string;
  readonly dataDir: string;
  /** Whom the outbox tells; absent: nobody. */
  readonly subscribers?: Subscribers;
  /** What facts from outside cannot be ahead of, ms since 1970; absent: this machine's. */
  readonly clock?: () => number;
}

type Given = Required<Pick<DeskOptions, 'subscribers' | 'clock'>>;

async function openEmbedded(directory: string, given: Given): Promise<Desk> {
  mkdirSync(directory, { recursive: true });
  // V8 may free WebAssembly code twice, which ends the process (nodejs/node#64500, Node 22 to 26): a few MB that it would free stay.
  setFlagsFromString('--no-wasm-code-gc');
  // PGlite's files bear one process: a second would ruin them.
  const { release } = holdFile(`${directory}.lock`, ({ pid }) => new DeskLockedError({ pid, directory }));
  try {
    return await openPglite(new PreparingPglite(directory), { release, ...given });
  } catch (error) {
    release();
    throw error;
  }
}

async function openPglite(
  client: PreparingPglite,
  { release, ...given }: Given & { release: () => void },
): Promise<Desk> {
  await client.waitReady;
  const close = async () => {
    await client.close();
    release();
  };
  return deskOn(drizzlePglite(client), { close, stopped: client.panicked, isAlone: true, ...given });
}

async function openServer(url: string, given: Given): Promise<Desk> {
  const client = postgres(url, {
    max: POOL_SIZE,
    connect_timeout: CONNECT_TIMEOUT_S,
    onnotice: () => {},
    connection: { application_name: 'attache', TimeZone: 'UTC' },
  });
  try {
    await client`select 1`;
  } catch (error) {
    await client.end({ timeout: 5 });
    throw new DatabaseUnreachableError(url, error);
  }
  const close = () => client.end({ timeout: 5 });
  return deskOn(drizzlePostgres(client), { close, stopped: new Promise(() => undefined), isAlone: false, ...given });
}

async function deskOn(
  db: Db,
  {
    close,
    stopped,
    subscribers,
    clock,
    isAlone,
  }: Given & Pick<Desk, 'close' | 'stopped'> & { readonly isAlone: boolean },
): Promise<Desk> {
  const announce = createAnnounce(subscribers);
  const tellFailed = createTellFailed(announce);
  try {
    await migrate(db, MIGRATIONS);
  } catch (error) {
    await close();
    throw error instanceof DrizzleQueryError ? new TablesRefusedError(error) : error;
  }
  return {
    intake: withDeskErrors(createIntake(db, { isAlone, tellFailed, clock })),
    events: withDeskErrors(createEvents(db)),
    conversations: withDeskErrors(createConversations(db)),
    runs: withDeskErrors(createRuns(db, announce)),
    ledger: withDeskErrors(
      createLedger(db, {
        tellFailed,
        correctEcho: (tx, send, takenFor) => correctEcho({ tx, tellFailed }, send, takenFor),
      }),
    ),
    acts: withDeskErrors(createActs(db)),
    switches: withDeskErrors(createSwitches(db)),
    shutChannels: withDeskErrors(createShutChannels(db)),
    limits: withDeskErrors(createLimits(db)),
    home: withDeskErrors(createHome(db)),
    outbox: withDeskErrors(createOutbox(db)),
    fanOuts: withDeskErrors(createFanOuts(db)),
    retention: withDeskErrors(createRetention(db)),
    polls: withDeskErrors(createPolls(db)),
    keys: withDeskErrors(createKeys(db)),
    sessions: withDeskErrors(createSessions(db)),
    audit: withDeskErrors(createAudit(db)),
    idempotency: withDeskErrors(createIdempotency(db)),
    reports: withDeskErrors(createReports(db)),
    secrets: withDeskErrors(createServerSecrets(db)),
    changes: withDeskErrors(createChangeLog(db)),
    database: db,
    investigations: withDeskErrors(createInvestigations(db, announce)),
    ...withDeskErrors({
      ping: async () => {
        await db.execute(sql`select 1`);
      },
    }),
    stopped,
    close,
  };
}
