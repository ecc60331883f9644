/** A Redis Streams worker group, append-only file synced every second: what Attaché replaces. Two connections and four commands of RESP. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/machine/ports.ts';
import { until } from '../../test/support/until.ts';
import { now, type Engine } from './engine.ts';

const BINARY = 'redis-server';
const [STREAM, GROUP] = ['events', 'workers'];
/** In the answer to XREADGROUP: the entry's id, and its field `n`. */
const ENTRY = /\r\n(\d+-\d+)\r\n\*2\r\n\$1\r\nn\r\n\$\d+\r\n(\d+)\r\n/;

/** Null: Debian's package redis-server is not installed. */
export async function startRedisStreams(): Promise<Engine | null> {
  if (spawnSync(BINARY, ['--version']).status !== 0) return null;
  const folder = mkdtempSync(join(tmpdir(), 'attache-bench-redis-'));
  const port = await freePort({ port: undefined, purpose: 'Redis', variable: '' });
  const settings = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'yes', appendfsync: 'everysec' };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const server = spawn(BINARY, args, { stdio: 'ignore' });
  const sender = await opened(port);
  const worker = await opened(port);
  await sender.ask('XGROUP', 'CREATE', STREAM, GROUP, '$', 'MKSTREAM');
  const begun = new Map<number, number>();
  const working = work(worker, begun);
  return {
    name: 'Redis Streams: XADD → XREADGROUP',
    async send(n) {
      await sender.ask('XADD', STREAM, '*', 'n', String(n));
    },
    begun: async (events) => until('every entry to be read', () => events.every((n) => begun.has(n)) && begun),
    async close() {
      worker.close();
      sender.close();
      await working;
      server.kill();
      await once(server, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function work(worker: Resp, begun: Map<number, number>): Promise<void> {
  for (;;) {
    const answer = await worker.ask(
      'XREADGROUP',
      'GROUP',
      GROUP,
      'one',
      'COUNT',
      '1',
      'BLOCK',
      '0',
      'STREAMS',
      STREAM,
      '>',
    );
    if (answer === null) return;
    const [, id = '', n = ''] = ENTRY.exec(answer) ?? [];
    begun.set(Number(n), now());
    await worker.ask('XACK', STREAM, GROUP, id);
  }
}

async function opened(port: number): Promise<Resp> {
  return until('Redis to serve', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    return isOpen && new Resp(socket);
  });
}

/** One command at a time. An answer of a few dozen bytes comes in one piece. */
class Resp {
  private readonly socket: Socket;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /** The answer as it came; null: closed. */
  async ask(...words: readonly string[]): Promise<string | null> {
    // What is closed never tells of it again.
    if (this.socket.destroyed) return null;
    const gone = new AbortController();
    const answer = Promise.race([
      once(this.socket, 'data', { signal: gone.signal }).then(([data]) => String(data)),
      once(this.socket, 'close', { signal: gone.signal }).then(() => null),
    ]);
    this.socket.write(
      `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`,
    );
    try {
      return await answer;
    } finally {
      gone.abort();
    }
  }

  close(): void {
    this.socket.destroy();
  }
}
