#!/usr/bin/env node
/** The command `attache`: in a clone it runs the TypeScript source, in a published package what was built from it. */
import { existsSync, mkdirSync } from 'node:fs';
import { env, loadEnvFile } from 'node:process';
import { fileURLToPath } from 'node:url';

const isClone = existsSync(new URL('../src/cli.ts', import.meta.url));

// What the environment already says wins over the file.
if (existsSync('.env')) loadEnvFile('.env');

try {
  await (isClone ? runSource() : import('../dist/cli.js'));
} catch (error) {
  // A command tells its own failures: what comes here could not even be loaded.
  const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
  const remedy = isClone ? 'Is it still being installed? Wait, or run: node scripts/setup.js' : 'Install it again.';
  process.stderr.write(`error: attache cannot be loaded: ${reason}. ${remedy}\n`);
  process.exitCode = 1;
}

/** The clone's own tsconfig says where `attache-agents` is, whatever folder the command is typed in. */
async function runSource() {
  // Where the translator of workflow code unpacks itself; one that it finds unsafe it passes over.
  env.SWC_NATIVE_BINDING_CACHE ??= inClone('.attache/swc');
  const outside = env.TMPDIR;
  env.TMPDIR = inClone('.attache/tmp');
  mkdirSync(env.TMPDIR, { recursive: true });
  const { register } = await import('tsx/esm/api');
  register({ tsconfig: inClone('tsconfig.json') });
  // tsx keeps what it has translated in the folder it was loaded with; everything else has the machine's own.
  if (outside === undefined) delete env.TMPDIR;
  else env.TMPDIR = outside;
  await import('../src/cli.ts');
}

function inClone(path) {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}
