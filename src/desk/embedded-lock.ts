/** One process at a time may write PGlite's files: a pid file says which. */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Another live process holds the embedded database. */
export class DeskLockedError extends Error {
  override readonly name = 'DeskLockedError';
  readonly pid: number;
  readonly directory: string;

  constructor({ pid, directory }: { pid: number; directory: string }) {
    super(
      `The desk in ${directory} is in use by process ${pid}. Stop that process (kill ${pid}), choose another ATTACHE_DATA_DIR, or set DATABASE_URL to share a PostgreSQL.`,
    );
    this.pid = pid;
    this.directory = directory;
  }
}

/**
 * Takes `${directory}.lock`; a lock whose process is gone is taken over. Answers how to release it.
 * @throws {DeskLockedError} while another process (or this one) holds it.
 */
export function lockDirectory(directory: string): () => void {
  const path = `${directory}.lock`;
  const mine = `${process.pid} ${startOf(process.pid)}`;
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, mine);
  try {
    // A link appears with its content or not at all: nobody can read a lock that is half written.
    while (!linked(draft, path)) {
      const held = read(path);
      if (held !== undefined) takeOver({ path, held, directory });
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    if (read(path) === mine) rmSync(path, { force: true });
  };
}

function takeOver({ path, held, directory }: { path: string; held: string; directory: string }): void {
  const [pid = '', start = ''] = held.split(' ');
  // The start time tells a process from a later one that was given the same pid.
  if (isAlive(Number(pid)) && (start === '' || startOf(Number(pid)) === start))
    throw new DeskLockedError({ pid: Number(pid), directory });
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return; // Somebody else moved it first: look again.
  }
  // Between reading and moving, another process may have taken it over: give it back.
  if (read(aside) !== held) linked(aside, path);
  rmSync(aside, { force: true });
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Clock ticks after boot (proc(5), field 22 of stat); empty where there is no /proc, or once nothing but its exit code is left. */
function startOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return state === 'Z' ? '' : (fields[18] ?? '');
}
