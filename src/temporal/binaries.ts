/** Where Temporal's own binaries are, by the order in which `scripts/setup.js` provides them. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** In the clone (or the installed package), whatever ATTACHE_DATA_DIR says: state may be deleted, binaries stay. */
const CACHE = fileURLToPath(new URL('../../.attache/bin', import.meta.url));

export interface BinarySearch {
  /** The variable's value: wins, and must be right. */
  readonly explicit: string | undefined;
  /** The PATH. */
  readonly path: string;
  readonly cache?: string;
}

/** The Temporal CLI, or the time-skipping test server, could not be found where it was said to be, or anywhere. */
class BinaryMissingError extends Error {
  override readonly name = 'BinaryMissingError';
}

/** @throws {BinaryMissingError} saying what to do. */
export function findTemporalCli(search: BinarySearch): string {
  return find('temporal', 'TEMPORAL_CLI_PATH', search);
}

/** @throws {BinaryMissingError} saying what to do. */
export function findTestServer(search: BinarySearch): string {
  return find('temporal-test-server', 'TEMPORAL_TEST_SERVER_PATH', search);
}

function find(name: string, variable: string, { explicit, path, cache = CACHE }: BinarySearch): string {
  if (explicit !== undefined) {
    if (isExecutable(explicit)) return explicit;
    throw new BinaryMissingError(`${variable} is "${explicit}", which is no executable file. Correct it, or unset it.`);
  }
  const folders = [...path.split(delimiter).filter((folder) => folder !== ''), cache];
  const found = folders.map((folder) => join(folder, name)).find(isExecutable);
  if (found !== undefined) return found;
  throw new BinaryMissingError(
    `"${name}" is neither on the PATH nor in ${cache}. In a clone, \`node scripts/setup.js\` fetches it; elsewhere install it and put its path into ${variable}.`,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
