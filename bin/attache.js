#!/usr/bin/env node
/** The command `attache`: in a clone it runs the TypeScript source, in a published package what was built from it. */
import { existsSync, mkdirSync } from 'node:fs';
import process, { env } from 'node:process';
import { fileURLToPath } from 'node:url';

const isClone = existsSync(new URL('../src/cli.ts', import.meta.url));

// A Node that lacks this (before 20.12) lacks more; one that is older than 20.20 the doctor names.
if (process.loadEnvFile === undefined)
  fail(`Node ${process.version} is too old. Install Node 20.20 or later, then run this again.`);
else await start();

async function start() {
  // What the environment already says wins over the file.
  if (existsSync('.env')) process.loadEnvFile('.env');
  try {
    await (isClone ? runSource() : import('../dist/cli.js'));
  } catch (error) {
    // A command tells its own failures: what comes here could not even be loaded.
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    const remedy = isClone ? 'Is it still being installed? Wait, or run: node scripts/setup.js' : 'Install it again.';
    fail(`attache cannot be loaded: ${reason}. ${remedy}`);
  }
}

function fail(message) {
  process.stderr.write(`error: ${message}\n`);
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
