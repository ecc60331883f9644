/** What the tests' processes all need at once in a fresh clone, and one of them is to make while the others wait. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { holdFile } from '../../src/machine/held-file.ts';
import { until } from './until.ts';

const FOLDER = fileURLToPath(new URL('../../.attache/tests/', import.meta.url));

/** @param name one word; one process at a time acts under it. */
export async function oneAtATime<Made>(name: string, act: () => Promise<Made>): Promise<Made> {
  mkdirSync(FOLDER, { recursive: true });
  const taken = new Error(`${name} is being made`);
  const { release } = await until(`its turn to make: ${name}`, () => {
    try {
      return holdFile(join(FOLDER, `${name}.lock`), () => taken);
    } catch (error) {
      if (error === taken) return false;
      throw error;
    }
  });
  try {
    return await act();
  } finally {
    release();
  }
}
