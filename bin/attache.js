#!/usr/bin/env node
/** The command `attache`: in a clone it runs the TypeScript source, in a published package what was built from it. */
import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
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
  const { register } = await import('tsx/esm/api');
  register({ tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) });
  await import('../src/cli.ts');
}
