/** The console's static files, made by Vite into dist/console: at a first start, when its source is newer, and by `npm run build`. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCE = join(ROOT, 'src', 'console');
const BUILT = join(ROOT, 'dist', 'console', 'index.html');

/** Bytes: below it, a packet is a packet. */
const WORTH_IT = 1_000;

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
  if (status !== 0) return (error?.message ?? `${stdout ?? ''}${stderr ?? ''}`).trim();
  compress();
  return undefined;
}

/** Once here rather than at every request: what is worth it gets a smaller self beside it, `.br` and `.gz`. */
function compress() {
  const folder = dirname(BUILT);
  for (const name of readdirSync(folder, { recursive: true }).filter((one) => /\.(?:js|css|html|svg)$/.test(one))) {
    const path = join(folder, name);
    const text = readFileSync(path);
    if (text.length < WORTH_IT) continue;
    writeFileSync(`${path}.br`, brotliCompressSync(text));
    writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }));
  }
}
