/**
 * From the webhook's POST to the start of the agent's tick on the embedded set-up, beside a bare Temporal signal and a
 * Redis Streams worker: 20 events a second to 50 sleepers, in rounds that take turns, on one machine and clock.
 */
import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { startAttache } from './attache.ts';
import { startBareTemporal } from './bare-temporal.ts';
import { now, type Engine } from './engine.ts';
import { startRedisStreams } from './redis-streams.ts';

const ROUNDS = 3;
const EVENTS = 150;
const EVERY_MS = 50;
/** What is promised of Attaché on an idle machine with two cores. */
const BOUND = { p50: 35, p99: 120 };

export async function latency(): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const load = loadavg().map((one) => one.toFixed(2));
  const attache = await startAttache();
  const bare = await startBareTemporal(attache.temporalAddress);
  const redis = await startRedisStreams();
  const engines: readonly Engine[] = [attache, bare, ...(redis === null ? [] : [redis])];
  const measured = new Map(engines.map(({ name }) => [name, [] as number[]]));
  // One unmeasured round each: compilers and caches warm up.
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [turn] of engines.entries()) {
      const engine = engines[(turn + round) % engines.length];
      if (engine === undefined) continue;
      const took = await measure(engine, 1_000 + round * EVENTS);
      if (round > 0) measured.get(engine.name)?.push(...took);
    }
  console.log(
    `node ${process.version}, ${cpus().length} cores, load before ${load.join(' ')}, after ${loadavg()[0]?.toFixed(2)}; ` +
      `${ROUNDS} rounds of ${EVENTS} events, one each ${EVERY_MS} ms\n`,
  );
  console.log('| engine | p50 ms | p99 ms | max ms | n |\n|---|---|---|---|---|');
  for (const [name, took] of measured) print(name, took);
  print('Attaché: webhook → 200', attache.answered);
  if (redis === null)
    console.log('\nRedis Streams: not measured, there is no redis-server (Debian package redis-server).');
  const took = measured.get(attache.name) ?? [];
  const isKept = quantile(took, 0.5) <= BOUND.p50 && quantile(took, 0.99) <= BOUND.p99;
  console.log(`\nbound for Attaché: p50 ≤ ${BOUND.p50} ms, p99 ≤ ${BOUND.p99} ms: ${isKept ? 'kept' : 'NOT KEPT'}`);
  // Attaché's Temporal is the last to go: the bare one lives on it.
  for (const engine of [...engines].reverse()) await engine.close();
}

async function measure(engine: Engine, first: number): Promise<number[]> {
  const sent = new Map<number, number>();
  const sending: Promise<void>[] = [];
  const begunAt = now();
  for (let n = 0; n < EVENTS; n += 1) {
    const wait = begunAt + n * EVERY_MS - now();
    if (wait > 0) await sleep(wait);
    sent.set(first + n, now());
    sending.push(engine.send(first + n));
  }
  await Promise.all(sending);
  const begun = await engine.begun([...sent.keys()]);
  return [...sent].map(([n, at]) => (begun.get(n) ?? Number.NaN) - at);
}

function print(name: string, took: readonly number[]): void {
  const figures = [quantile(took, 0.5), quantile(took, 0.99), Math.max(...took)].map((one) => one.toFixed(1));
  console.log(`| ${[name, ...figures, took.length].join(' | ')} |`);
}

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * q)] ?? Number.NaN;
}
