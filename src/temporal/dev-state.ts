/**
 * `dev.json` in the data folder: which `attache dev` holds the folder, and where it can be reached. It outlives a
 * kill -9, so that the next start knows; a folder has one holder at a time.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOf } from './processes.ts';

export interface DevState {
  readonly pid: number;
  /** With the pid, names the process: see {@link startOf}. */
  readonly started: string;
  /** Of the API and console; absent until they are served. */
  readonly url?: string;
  readonly temporal?: { readonly pid: number; readonly address: string; readonly uiUrl: string };
}

/** The folder belongs to an `attache dev` that is alive. */
export class DevRunningError extends Error {
  override readonly name = 'DevRunningError';
  readonly state: DevState;

  constructor(state: DevState, dataDir: string) {
    const where = state.url === undefined ? '' : ` at ${state.url}`;
    super(
      `attache dev already runs in ${dataDir}${where} (process ${state.pid}). Stop it, or give this one a folder of its own with ATTACHE_DATA_DIR.`,
    );
    this.state = state;
  }
}

export interface DevClaim {
  /** Adds to the file what is known by now; readers never see half of it. */
  update(known: Pick<DevState, 'url' | 'temporal'>): void;
  /** On a clean end: the file goes. */
  release(): void;
}

/**
 * Takes the folder for this process, over from one that died.
 * @throws {DevRunningError}
 */
export function claimDevState(dataDir: string): DevClaim {
  mkdirSync(dataDir, { recursive: true });
  const file = fileOf(dataDir);
  let state: DevState = { pid: process.pid, started: startOf(process.pid) ?? '' };
  while (!putFirst(file, state)) {
    const holder = readDevState(dataDir);
    if (holder !== undefined && isAlive(holder)) throw new DevRunningError(holder, dataDir);
    setAside(file, holder);
  }
  return {
    update: (known) => {
      state = { ...state, ...known };
      const draft = `${file}.${process.pid}`;
      writeFileSync(draft, text(state));
      renameSync(draft, file);
    },
    release: () => rmSync(file, { force: true }),
  };
}

/** As the file says, whether or not its process lives; undefined when there is none, or nobody can read it. */
export function readDevState(dataDir: string): DevState | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as DevState;
  } catch {
    return undefined;
  }
}

export function isAlive({ pid, started }: DevState): boolean {
  return startOf(pid) === started;
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'dev.json');
}

function text(state: DevState): string {
  return `${JSON.stringify(state, null, 2)}\n`;
}

/** A link appears whole or not at all, and never replaces: of two starting at once, one is first. */
function putFirst(file: string, state: DevState): boolean {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text(state));
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Two may find the same dead holder: what one moved aside is put back if the other had become the holder meanwhile. */
function setAside(file: string, dead: DevState | undefined): void {
  const aside = `${file}.dead.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  let moved: DevState | undefined;
  try {
    moved = JSON.parse(readFileSync(aside, 'utf8')) as DevState;
  } catch {
    // Unreadable: nobody's.
  }
  if (moved !== undefined && moved.pid !== dead?.pid && isAlive(moved)) renameSync(aside, file);
  else rmSync(aside, { force: true });
}
