/** `dev.json` in the data folder: which `attache dev` holds the folder, and where it can be reached. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { holdFile, readHolder, type HeldFile, type Holder } from '../machine/held-file.ts';

export interface DevState extends Holder {
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

export interface DevClaim extends HeldFile {
  readonly tell: (known: Pick<DevState, 'url' | 'temporal'>) => void;
}

/**
 * Takes the folder for this process, made if need be; over from one that died.
 * @throws {DevRunningError}
 */
export function claimDevState(dataDir: string): DevClaim {
  mkdirSync(dataDir, { recursive: true });
  return holdFile(fileOf(dataDir), (state) => new DevRunningError(state, dataDir));
}

/** As the file says, whether or not its process lives; undefined: there is none, or nobody can read it. */
export function readDevState(dataDir: string): DevState | undefined {
  return readHolder(fileOf(dataDir));
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'dev.json');
}
