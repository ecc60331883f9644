#!/usr/bin/env node
/** The command `attache`: in a clone it runs the TypeScript source, in a published package what was built from it. */
import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';

// What the environment already says wins over the file.
if (existsSync('.env')) loadEnvFile('.env');

if (existsSync(new URL('../src/cli.ts', import.meta.url))) {
  const { register } = await import('tsx/esm/api');
  register();
  await import('../src/cli.ts');
} else {
  await import('../dist/cli.js');
}
