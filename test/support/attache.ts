/**
 * The built thing as its user starts it: real processes with a folder and ports of their own, reached over HTTP and by
 * signals only. Whatever happens to a test, no process of it outlives the test run.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProcesses } from '../../src/machine/processes.ts';
import { temporalCli } from './binaries.ts';
import { copyDesk } from './desk-template.ts';
import { until } from './until.ts';

const COMMAND = fileURLToPath(new URL('../../bin/attache.js', import.meta.url));
const WITH_AGENTS = fileURLToPath(new URL('./with-agents.ts', import.meta.url));
/** Where an agent's `attache-agents` is: the child lives in another folder. */
const TSCONFIG = fileURLToPath(new URL('../../tsconfig.json', import.meta.url));
const TSX = import.meta.resolve('tsx');

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** All it printed. */
  readonly output: string;
}

/** A folder to live in: outlives the processes, so that a second start finds what the first left. */
export interface Place {
  readonly folder: string;
  readonly dataDir: string;
  /** Writes `attache.config.json`, which a process started here reads. */
  configure(config: object): void;
  /** Every process that has to do with this folder, by its command line. */
  processes(): readonly number[];
  /** Kills what is left, removes the folder. */
  leave(): void;
}

export function newPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'attache-system-'));
  const dataDir = join(folder, 'data');
  const place: Place = {
    folder,
    dataDir,
    configure: (config) => writeFileSync(join(folder, 'attache.config.json'), JSON.stringify(config)),
    processes: () => [
      ...[...children].filter(([, at]) => at === folder).map(([{ pid }]) => pid ?? 0),
      ...findProcesses(['start-dev', '--db-filename', join(dataDir, 'temporal', 'temporal.db')]),
    ],
    leave() {
      for (const pid of place.processes()) kill(pid, 'SIGKILL');
      places.delete(place);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  places.add(place);
  return place;
}

const places = new Set<Place>();
const children = new Map<ChildProcess, string>();
process.once('exit', () => {
  for (const place of places) place.leave();
});

/** One process of ours. */
export interface Running {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  output(): string;
  signal(name: NodeJS.Signals): void;
  /** SIGTERM, and done when it is gone. */
  stop(): Promise<Exit>;
  /** kill -9. */
  kill(): Promise<Exit>;
}

export interface Start {
  readonly place: Place;
  /** Default: `dev`. */
  readonly command?: 'dev' | 'worker' | 'server' | 'replay';
  readonly args?: readonly string[];
  /** The tests' own agents too: started by a script of the tests. */
  readonly withAgents?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** Spawned, and no more: it may refuse to run. Of the caller's environment it gets the PATH alone. */
export function launch({ place, command = 'dev', args = [], withAgents = false, env = {} }: Start): Running {
  const script = withAgents ? ['--import', TSX, WITH_AGENTS] : [COMMAND];
  const child = spawn(process.execPath, [...script, command, ...args], {
    cwd: place.folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      TSX_TSCONFIG_PATH: TSCONFIG,
      ATTACHE_DATA_DIR: place.dataDir,
      TEMPORAL_CLI_PATH: temporalCli(),
      PORT: '0',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.set(child, place.folder);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const exited = new Promise<Exit>((resolve) =>
    child.once('close', (code, signal) => {
      children.delete(child);
      resolve({ code, signal, output });
    }),
  );
  const end = async (name: NodeJS.Signals) => {
    child.kill(name);
    return exited;
  };
  return {
    pid: child.pid ?? 0,
    exited,
    output: () => output,
    signal: (name) => void child.kill(name),
    stop: async () => end('SIGTERM'),
    kill: async () => end('SIGKILL'),
  };
}

/** Resolves with the first match in what it prints. @throws {Error} quoting it all, when it ends before. */
export async function printed(running: Running, pattern: RegExp): Promise<RegExpExecArray> {
  const ended = running.exited.then(({ output }) => {
    throw new Error(`it ended without printing ${pattern}:\n${output}`);
  });
  return Promise.race([until(`${pattern} to be printed`, () => pattern.exec(running.output()) ?? undefined), ended]);
}

export interface Dev extends Running {
  readonly url: string;
  readonly temporal: { readonly pid: number; readonly address: string };
}

/** `attache dev`, ready. Where it has not been before it finds a desk: what sets one up anew is `launch`. */
export async function startDev(start: Start): Promise<Dev> {
  if (!existsSync(start.place.dataDir)) await copyDesk(start.place.dataDir);
  const running = launch(start);
  await printed(running, /Attaché is ready\./);
  const state = JSON.parse(readFileSync(join(start.place.dataDir, 'dev.json'), 'utf8')) as Pick<
    Dev,
    'url' | 'temporal'
  >;
  return { ...running, url: state.url, temporal: state.temporal };
}

/** True while the process exists. */
export function isThere(pid: number): boolean {
  return kill(pid, 0);
}

function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
