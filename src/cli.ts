#!/usr/bin/env node
/** The command `attache`. What a command does not need is not loaded: those that ask the server start in a blink. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ApiSettings } from './cli/api.ts';
import { runCli } from './cli/program.ts';
import type { Terminal } from './cli/terminal.ts';
import { loadClientSettings } from './config.ts';
import { untilAskedToStop } from './processes/signals.ts';
import { VERSION } from './processes/version.ts';

/** The address that `attache dev` wrote, in the folder it runs in. */
function runningDev(dataDir: string): string | undefined {
  try {
    const { url } = JSON.parse(readFileSync(join(dataDir, 'dev.json'), 'utf8')) as { url?: string };
    return url;
  } catch {
    return undefined;
  }
}

function settings(): ApiSettings {
  const { url, apiKey, dataDir } = loadClientSettings();
  return { url: url ?? runningDev(dataDir), apiKey };
}

/** What the person types; when that ends, as at the end of a pipe, until they stop us. */
async function* typed(): AsyncIterable<string> {
  yield* createInterface({ input: process.stdin });
  await untilAskedToStop();
}

const terminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  get columns() {
    return process.stdout.columns;
  },
  get rows() {
    return process.stdout.rows;
  },
};

// `attache runs | head`: whoever reads has seen enough, which is no fault of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

process.exitCode = await runCli(process.argv.slice(2), {
  version: VERSION,
  terminal,
  settings,
  processes: {
    dev: async () => (await import('./dev.ts')).runDev(),
    worker: async (options) => (await import('./worker.ts')).runWorker(options),
    server: async () => (await import('./server.ts')).runServer(),
    doctor: async ({ fix }) => (await import('./doctor.ts')).examine({ fix, ...settings() }),
    conformance: async (options) => (await import('./channels/generic/conformance/examine.ts')).examineCrm(options),
    erpConformance: async (options) => (await import('./erp/remote/conformance/examine.ts')).examineErp(options),
    simulate: async (options) =>
      (await import('./channels/simulated/simulate.ts')).simulate(options, { out: terminal.out, lines: typed() }),
    replay: async (source) => (await import('./replay.ts')).replay(source),
  },
});
