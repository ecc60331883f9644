/**
 * `npm run chaos -- overdue`: a thousand agents fell due while no worker was there. They start at the pace of the worker's
 * slots, each once however many of its times have passed, and the tick of whoever writes meanwhile does not wait behind theirs.
 * Needs a PostgreSQL (TEST_DATABASE_URL).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Client } from '@temporalio/client';
import postgres from 'postgres';
import { connectClient, embeddedTarget } from '../../src/temporal/connection.ts';
import { deploy } from '../support/processes.ts';
import type { TenantApi } from '../support/tenant-api.ts';
import { until } from '../support/until.ts';
import { startProvider, type Provider } from './provider.ts';

const TENANT = 'chaos';
/** As `temporal/worker-options.ts` has it: ticks of agents with a model, per worker. */
const SLOTS = 50;
/** So long the model takes. */
const ANSWERS_IN_MS = 8_000;
const LIVE = 20;
const AT_ONCE = 20;
/** Attaching takes about this long for each run, on a busy machine. */
const ATTACH_MS = 60;
const PATIENCE_MS = 10 * 60_000;

/** @returns whether every rule was kept. */
export async function overdue(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({ args: [...args], options: { size: { type: 'string', default: '1000' } } });
  const size = Number(values.size);
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const provider = await startProvider(ANSWERS_IN_MS);
    closing.push(async () => provider.close());
    const deployment = await deploy({ tenants: { [TENANT]: { channels: [{ kind: 'simulated' }] } } });
    closing.push(async () => deployment.close());
    const [server, worker] = await Promise.all([deployment.server(), deployment.worker()]);
    const api = deployment.api(server.url, TENANT);
    const sql = postgres(deployment.databaseUrl, { max: 1, onnotice: () => {} });
    closing.push(async () => sql.end());
    const prepared = async () =>
      (await sql<{ n: number }[]>`select count(*)::int as n from runs where agent_version is not null`)[0]?.n ?? 0;

    const dueAt = Date.now() + 20_000 + size * ATTACH_MS;
    const late = names('late', size);
    const live = names('live', LIVE);
    await attachAll(api, late, { gate: provider.url, dueAt });
    await attachAll(api, live, { gate: provider.url, dueAt: Date.now() + 86_400_000 });
    await until('all to be prepared', async () => (await prepared()) === size + LIVE, PATIENCE_MS);
    await worker.kill();
    say(`${size + LIVE} are asleep, and no worker is there`);
    await sleep(Math.max(0, dueAt - Date.now()) + 5_000);
    if (provider.arrivals.length > 0) say('some were due before the outage: attaching took too long');

    const backAt = performance.now();
    await deployment.worker();
    await until('the first to be awake', () => provider.arrivals.length > 0, PATIENCE_MS);
    // In the middle of it, and the queue is at its longest.
    const postedAt = Date.now();
    for (const name of live) await api.hears(name, 'is somebody there?');
    const all = late.length + live.length;
    await until(
      'all to have ticked',
      () => new Set(provider.arrivals.map(({ name }) => name)).size === all,
      PATIENCE_MS,
    );
    const seconds = Math.round((performance.now() - backAt) / 1_000);
    // Whatever would tick once more does it now.
    await sleep(10_000);
    const client = await connectClient(embeddedTarget(deployment.temporalAddress));
    closing.push(async () => client.connection.close());
    const scheduled = new Map<string, number>();
    for (const name of live) scheduled.set(name, await tickScheduledAt(client, name));
    return report({ provider, late, live, postedAt, scheduled, seconds });
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

interface Found {
  readonly provider: Provider;
  readonly late: readonly string[];
  readonly live: readonly string[];
  /** When their customers wrote, and when the tick of each that this led to was put into the queue; ms since 1970. */
  readonly postedAt: number;
  readonly scheduled: ReadonlyMap<string, number>;
  readonly seconds: number;
}

function report({ provider, late, live, postedAt, scheduled, seconds }: Found): boolean {
  const { arrivals, mostAtOnce } = provider;
  const times = new Map<string, number>();
  for (const { name } of arrivals) times.set(name, (times.get(name) ?? 0) + 1);
  const wrong = [...late, ...live].filter((name) => times.get(name) !== 1);
  const others = new Set(late);
  const overtakenBy = live.map((name) => {
    const at = arrivals.find((arrival) => arrival.name === name)?.at ?? Infinity;
    return arrivals.filter((one) => others.has(one.name) && one.at > (scheduled.get(name) ?? 0) && one.at < at).length;
  });
  const worst = Math.max(...overtakenBy);
  const queuedAfter = Math.round((Math.max(...scheduled.values()) - postedAt) / 1_000);
  const rows = {
    'overdue runs, live conversations': `${late.length}, ${live.length}`,
    'ticked once': late.length + live.length - wrong.length,
    'calls of the provider at once, at most': `${mostAtOnce} (slots: ${SLOTS})`,
    'seconds until all had ticked': seconds,
    'seconds until the last live message was a tick in the queue': queuedAfter,
    'overdue ticks that went before a live one in the queue, at most': worst,
  };
  console.log('| overdue | |\n|---|---|');
  for (const [name, value] of Object.entries(rows)) console.log(`| ${name} | ${value} |`);
  const broken = [
    ...wrong.map((name) => `${name} ticked ${times.get(name) ?? 0} times`),
    ...(mostAtOnce > SLOTS ? [`${mostAtOnce} calls at once`] : []),
    ...(worst > SLOTS ? [`${worst} overdue ticks went before a live one that was in the queue`] : []),
  ];
  for (const sentence of broken.slice(0, 20)) console.log(`\nBROKEN: ${sentence}`);
  return broken.length === 0;
}

async function tickScheduledAt(client: Client, conversation: string): Promise<number> {
  const id = `run/${TENANT}/conversation/${conversation}/answering`;
  const { events } = await client.workflow.getHandle(id).fetchHistory();
  const tick = events?.find((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'tick');
  const { seconds, nanos } = tick?.eventTime ?? {};
  return Number(seconds ?? 0) * 1_000 + Math.floor((nanos ?? 0) / 1e6);
}

function say(text: string): void {
  console.error(text);
}

function names(kind: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => `${kind}-${n}`);
}

async function attachAll(
  api: TenantApi,
  conversations: readonly string[],
  { gate, dueAt }: { readonly gate: string; readonly dueAt: number },
): Promise<void> {
  const firstRunAt = new Date(dueAt).toISOString();
  const left = [...conversations];
  const attachNext = async () => {
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      const { status } = await api.attach(name, { agent: 'thinker', config: { gate }, firstRunAt });
      if (status !== 201) throw new Error(`attaching ${name} answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, attachNext));
}
