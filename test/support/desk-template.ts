/** A migrated desk to copy: setting PGlite up anew takes seconds of CPU, opening a copy a few hundred milliseconds. */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDesk } from '../../src/desk/open-desk.ts';
import { oneAtATime } from './one-at-a-time.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MIGRATIONS = join(ROOT, 'src', 'desk', 'database', 'migrations');
const FOLDER = join(ROOT, '.attache', 'test-desks');
/** PostgreSQL's own template databases, by their fixed numbers: two thirds of the files, and only `create database` reads them. */
const UNUSED = ['1', '4'];

let made: Promise<string> | undefined;

/** A new desk in `dataDir`, as the migrations of today make it. */
export async function copyDesk(dataDir: string): Promise<void> {
  made ??= oneAtATime('desk', template);
  cpSync(await made, dataDir, { recursive: true });
}

/** Made once for the same sources, whichever of the tests' processes is the first to need it. */
async function template(): Promise<string> {
  const name = hashOfSources();
  const folder = join(FOLDER, name);
  if (existsSync(folder)) return folder;
  mkdirSync(FOLDER, { recursive: true });
  for (const old of readdirSync(FOLDER)) rmSync(join(FOLDER, old), { recursive: true, force: true });
  const draft = `${folder}.draft`;
  await (await openDesk({ dataDir: draft })).close();
  for (const database of UNUSED) rmSync(join(draft, 'desk', 'base', database), { recursive: true });
  renameSync(draft, folder);
  return folder;
}

function hashOfSources(): string {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')));
  hash.update(readFileSync(fileURLToPath(import.meta.url)));
  for (const name of readdirSync(MIGRATIONS).sort()) hash.update(name).update(readFileSync(join(MIGRATIONS, name)));
  return hash.digest('hex').slice(0, 32);
}
