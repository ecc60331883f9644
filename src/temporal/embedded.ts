/**
 * Temporal for one machine: its own development server, with its state and its log in the data folder. A server that
 * a killed `attache dev` left behind is stopped first: two on one database would ruin it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { freePort } from '../machine/ports.ts';
import { findProcesses, startOf } from '../machine/processes.ts';
import { SEARCH_ATTRIBUTES } from './search-attributes.ts';

export interface EmbeddedOptions {
  /** Absolute path of the Temporal CLI: see `findTemporalCli`. */
  readonly binary: string;
  /** Absolute; state goes into its folder `temporal`. */
  readonly dataDir: string;
  /** Undefined: any free one. */
  readonly port?: number | undefined;
  readonly uiPort?: number | undefined;
}

export interface EmbeddedTemporal {
  readonly pid: number;
  /** `127.0.0.1:port`; the namespace is `default`. */
  readonly address: string;
  readonly uiUrl: string;
  readonly logFile: string;
  /** Fulfilled when the process is gone, for whatever reason. */
  readonly exited: Promise<void>;
  /** Lets it write down what it holds; done when the process is gone. */
  stop(): Promise<void>;
}

/** The development server ended, or did not serve in time. The message quotes the end of its log. */
export class EmbeddedTemporalError extends Error {
  override readonly name = 'EmbeddedTemporalError';
}

/** It serves after 1 to 2 s on two cores; a slow disk or a busy machine gets plenty. */
const START_TIMEOUT_MS = 30_000;
/** It stops within 2 s; after this it is killed, which its database survives (write-ahead log). */
const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 50;

/**
 * The development server has one history shard, and its default of 20 polls a second adds up to 50 ms to every task
 * that is dispatched; with 2,000 a signal reaches its workflow in 2 ms instead of 25 (docs/design/temporal.md).
 */
const DYNAMIC_CONFIG = ['history.transferProcessorMaxPollRPS=2000', 'history.timerProcessorMaxPollRPS=2000'];
/** Write-ahead log, synced at checkpoints: halves an activity's round trip, and survives kill -9. */
const SQLITE_PRAGMAS = ['journal_mode=WAL', 'synchronous=NORMAL'];

/**
 * Serves, with the search attributes registered, when the promise is fulfilled.
 * @throws {PortTakenError} when a port that was asked for is taken.
 * @throws {EmbeddedTemporalError}
 */
export async function startEmbeddedTemporal(options: EmbeddedOptions): Promise<EmbeddedTemporal> {
  const folder = join(options.dataDir, 'temporal');
  mkdirSync(folder, { recursive: true });
  const database = join(folder, 'temporal.db');
  const logFile = join(folder, 'server.log');
  await stopLeftBehind(database);
  const port = await freePort({
    port: options.port,
    purpose: 'the embedded Temporal',
    variable: 'ATTACHE_TEMPORAL_PORT',
  });
  const uiPort = await freePort({
    port: options.uiPort,
    purpose: 'Temporal’s Web UI',
    variable: 'ATTACHE_TEMPORAL_UI_PORT',
  });
  const child = spawnServer(options.binary, serverArguments({ database, port, uiPort }), logFile);
  // However this process ends (a second Ctrl-C, a crash), its Temporal does not stay behind; after kill -9 the next start stops it.
  const takeAlong = () => void child.kill('SIGTERM');
  process.once('exit', takeAlong);
  const exited = new Promise<void>((resolve) =>
    child.once('close', () => {
      process.off('exit', takeAlong);
      resolve();
    }),
  );
  let isStarting = true;
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (cause) =>
      reject(new EmbeddedTemporalError(`${options.binary} cannot be run: ${cause.message}`, { cause })),
    );
    child.once('exit', () => {
      if (isStarting) reject(new EmbeddedTemporalError(`Temporal ended while starting.${tailOf(logFile)}`));
    });
  });
  failed.catch(() => undefined);
  const pid = child.pid;
  if (pid === undefined) return failed;
  const stop = async (): Promise<void> => {
    await stopProcess(pid);
    await exited;
  };
  try {
    await Promise.race([failed, untilServing(`127.0.0.1:${port}`, logFile)]);
    isStarting = false;
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid, address: `127.0.0.1:${port}`, uiUrl: `http://127.0.0.1:${uiPort}`, logFile, exited, stop };
}

/** Stops any development server on this very database. @returns how many there were. */
export async function stopLeftBehind(database: string): Promise<number> {
  const pids = findProcesses(['start-dev', '--db-filename', database]);
  await Promise.all(pids.map(stopProcess));
  return pids.length;
}

function serverArguments({ database, port, uiPort }: { database: string; port: number; uiPort: number }): string[] {
  return [
    ...['server', 'start-dev', '--db-filename', database, '--ip', '127.0.0.1'],
    ...['--port', String(port), '--ui-port', String(uiPort), '--ui-disable-news-fetch', '--log-level', 'error'],
    // The caller's TEMPORAL_* variables and profiles are about another server.
    ...['--disable-config-env', '--disable-config-file'],
    ...SQLITE_PRAGMAS.flatMap((pragma) => ['--sqlite-pragma', pragma]),
    ...DYNAMIC_CONFIG.flatMap((value) => ['--dynamic-config-value', value]),
    ...SEARCH_ATTRIBUTES.flatMap(({ name, type }) => ['--search-attribute', `${name}=${SERVER_TYPES[type]}`]),
  ];
}

const SERVER_TYPES: Readonly<Record<(typeof SEARCH_ATTRIBUTES)[number]['type'], string>> = {
  KEYWORD: 'Keyword',
  DATETIME: 'Datetime',
};

/** In a process group of its own: Ctrl-C reaches us alone, and Temporal goes last, when the worker has drained. */
function spawnServer(binary: string, args: string[], logFile: string): ChildProcess {
  const log = openSync(logFile, 'w');
  try {
    return spawn(binary, args, { detached: true, stdio: ['ignore', log, log] });
  } finally {
    closeSync(log);
  }
}

async function untilServing(address: string, logFile: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: '1s' });
      try {
        await connection.workflowService.describeNamespace({ namespace: 'default' });
        return;
      } finally {
        await connection.close();
      }
    } catch (cause) {
      if (Date.now() > deadline)
        throw new EmbeddedTemporalError(`Temporal did not serve in time.${tailOf(logFile)}`, { cause });
      await sleep(POLL_MS);
    }
  }
}

/** SIGTERM, then SIGKILL; done when the process is gone. */
async function stopProcess(pid: number): Promise<void> {
  const started = startOf(pid);
  const isThere = (): boolean => started !== undefined && startOf(pid) === started;
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  signal(pid, 'SIGTERM', isThere);
  while (isThere()) {
    if (Date.now() > deadline) signal(pid, 'SIGKILL', isThere);
    await sleep(POLL_MS);
  }
}

function signal(pid: number, name: NodeJS.Signals, isThere: () => boolean): void {
  try {
    if (isThere()) process.kill(pid, name);
  } catch (error) {
    // It went between the look and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function tailOf(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').trim().split('\n').slice(-3).join('\n');
  return lines === '' ? ` Its log, ${logFile}, is empty.` : ` The end of its log, ${logFile}:\n${lines}`;
}
