/** The console's static files, made by Vite into dist/console: at a first start, when its source is newer, and by `npm run build`. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCE = join(ROOT, 'src', 'console');
const BUILT = join(ROOT, 'dist', 'console', 'index.html');

/** Nothing of its source, and no package, is newer than what was made of it. A published package has no source. */
export function consoleIsCurrent() {
  if (!existsSync(SOURCE)) return true;
  if (!existsSync(BUILT)) return false;
  const made = statSync(BUILT).mtimeMs;
  const sources = readdirSync(SOURCE, { recursive: true }).map((name) => join(SOURCE, name));
  return [...sources, join(ROOT, 'package-lock.json')].every((path) => statSync(path).mtimeMs <= made);
}

/** A second or two. @returns what Vite said when it failed, else undefined. */
export function buildConsole() {
  const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = [vite, 'build', '--config', join(SOURCE, 'vite.config.ts'), '--logLevel', 'warn'];
  const { status, stdout, stderr, error } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? `${stdout ?? ''}${stderr ?? ''}`).trim();
}
