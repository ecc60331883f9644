/** Desks for tests: a fresh one for each call. Opening costs some hundred milliseconds: share one per file. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import type { Desk, Subscribers } from '../../src/desk/desk.ts';
import { openDesk } from '../../src/desk/open-desk.ts';
import { copyDesk } from './desk-template.ts';

export interface TestDesk {
  readonly desk: Desk;
  /** Another door to the same database; with PGlite, which has but one, the same desk. */
  another(): Promise<Desk>;
  /** Closes every door and removes the database. */
  close(): Promise<void>;
}

export type DatabaseKind = 'PGlite' | 'PostgreSQL';

const SERVER = process.env['TEST_DATABASE_URL'];

/** PGlite always, PostgreSQL too where TEST_DATABASE_URL names a server whose user may create databases. */
export const DATABASES: readonly DatabaseKind[] = SERVER ? ['PGlite', 'PostgreSQL'] : ['PGlite'];

/** After every time that tests make up and skip to: so no test depends on the day it runs on. */
const THE_END = Date.UTC(3000);

interface TestDeskOptions {
  /** Whom its outbox tells; absent: nobody. */
  readonly subscribers?: Subscribers;
  /** What facts cannot be ahead of; absent: nothing. */
  readonly clock?: () => number;
}

export function openTestDesk(
  kind: DatabaseKind = 'PGlite',
  { subscribers = () => [], clock = () => THE_END }: TestDeskOptions = {},
): Promise<TestDesk> {
  return kind === 'PGlite' ? openOnPglite({ subscribers, clock }) : openOnPostgres({ subscribers, clock });
}

async function openOnPglite(options: TestDeskOptions): Promise<TestDesk> {
  const dataDir = temporaryDirectory();
  await copyDesk(dataDir);
  const desk = await openDesk({ dataDir, ...options });
  return {
    desk,
    another: () => Promise.resolve(desk),
    close: async () => {
      await desk.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function openOnPostgres(options: TestDeskOptions): Promise<TestDesk> {
  const database = await createTestDatabase();
  const open = () => openDesk({ databaseUrl: database.url, dataDir: '', ...options });
  const desk = await open();
  const doors = [desk];
  return {
    desk,
    another: async () => {
      const door = await open();
      doors.push(door);
      return door;
    },
    close: async () => {
      await Promise.all(doors.map((door) => door.close()));
      await database.drop();
    },
  };
}

/** An empty database on the server of TEST_DATABASE_URL. */
export async function createTestDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  if (!SERVER) throw new Error('TEST_DATABASE_URL is not set');
  const name = `attache_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(SERVER);
  url.pathname = `/${name}`;
  await asAdmin((sql) => sql.unsafe(`create database ${name}`));
  return { url: url.href, drop: () => asAdmin((sql) => sql.unsafe(`drop database ${name} with (force)`)) };
}

export function temporaryDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'attache-desk-'));
}

async function asAdmin(act: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(SERVER ?? '', { max: 1, onnotice: () => {} });
  try {
    await act(sql);
  } finally {
    await sql.end();
  }
}
