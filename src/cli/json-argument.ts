import { readFile } from 'node:fs/promises';
import { usage } from './outcome.ts';

/** JSON as it is typed, or `@file`. @throws {CommandError} usage, naming the flag or argument */
export async function jsonArgument(name: string, text: string): Promise<unknown> {
  const path = text.startsWith('@') ? text.slice(1) : undefined;
  try {
    return JSON.parse(path === undefined ? text : await readFile(path, 'utf8')) as unknown;
  } catch (error) {
    throw usage(
      `${name} must be JSON${path === undefined ? '' : ` in the file ${path}`}: ${error instanceof Error ? error.message : ''}`,
    );
  }
}
