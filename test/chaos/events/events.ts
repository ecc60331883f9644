/**
 * `npm run chaos -- events`: customers' messages with duplicates, reordering and broken connections, while servers and
 * a worker are killed every few seconds. Needs a PostgreSQL (TEST_DATABASE_URL) and some minutes.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { startWhatsAppSimulator } from '../../../src/channels/simulated/graph-server.ts';
import type { WhatsAppSimulator } from '../../../src/channels/simulated/whatsapp-simulator.ts';
import { connectClient, embeddedTarget } from '../../../src/temporal/connection.ts';
import { deploy } from '../../support/processes.ts';
import { startBalancer, type Balancer } from './balancer.ts';
import { readDesk, readHistories, TENANT, unsettled } from './evidence.ts';
import { Fleet } from './fleet.ts';
import { judge } from './judge.ts';
import { planKills, planSteps, type Options, type Step } from './plan.ts';

const NUMBER = '100200300';
const SECRET = 'app-secret';
/** Statuses travel like everything else of the provider's. */
const NOISE = { duplicated: 0.2, late: 0.2, lateByMs: 3_000, dropped: 0.05 };
/** The fate of a lost call is looked up for five minutes; what has not moved for longer is stuck. */
const PATIENCE_MS = 8 * 60_000;
const LOOK_EVERY_MS = 2_000;
const SHOWN = 30;
const MOST_OPEN = 100;

/** @returns whether every rule was kept. */
export async function events(args: readonly string[]): Promise<boolean> {
  const { options, log } = optionsOf(args);
  const steps = planSteps(options);
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
  const closing: (() => Promise<unknown>)[] = [];
  try {
    let living: () => readonly string[] = () => [];
    const balancer = await startBalancer(() => living());
    closing.push(async () => balancer.close());
    const graph = await openGraph(balancer, options);
    closing.push(async () => graph.close());
    const deployment = await deploy({ tenants: { [TENANT]: tenant(graph.url) } });
    closing.push(async () => deployment.close());
    const fleet = new Fleet(deployment);
    closing.push(async () => fleet.stop());
    living = () => fleet.living();
    await fleet.complete();
    say(`${steps.length} messages to ${new Set(steps.map(({ phone }) => phone)).size} people; everything is up`);

    const storm = new AbortController();
    const killing = keepKilling(fleet, options, storm.signal);
    await post(steps, { graph, options });
    await graph.settled();
    storm.abort();
    await killing;
    await fleet.complete();
    say(`all messages are in after ${seconds()} s; waiting until all is settled`);

    const sql = postgres(deployment.databaseUrl, { max: 2, onnotice: () => {} });
    closing.push(async () => sql.end());
    await untilSettled(sql);
    await graph.settled();
    const client = await connectClient(embeddedTarget(deployment.temporalAddress));
    closing.push(async () => client.connection.close());
    const desk = await readDesk(sql);
    const histories = await readHistories(client, desk.runs);
    await fleet.stop();
    const { answers } = balancer;
    const { rows, broken } = judge({ steps, idOf: idOf(options), desk, histories, accepted: graph.received, answers });
    print({
      ...planned(steps, options),
      'webhooks answered': [...answers].map(([status, count]) => `${status}: ${count}`).join(', '),
      'webhooks broken by a kill': balancer.broken,
      ...rows,
      kills: Object.entries(fleet.kills)
        .map(([victim, count]) => `${victim}: ${count}`)
        .join(', '),
      'seconds it took': seconds(),
      'rules broken': broken.length,
    });
    if (log !== undefined) writeFileSync(log, [...broken, ...fleet.said].join('\n---\n'));
    for (const sentence of broken.slice(0, SHOWN)) console.log(`\nBROKEN: ${sentence}`);
    return broken.length === 0;
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

function optionsOf(args: readonly string[]): { options: Options; log: string | undefined } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      size: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '1' },
      'per-second': { type: 'string', default: '20' },
      'kill-every-ms': { type: 'string', default: '3000' },
      temporal: { type: 'boolean', default: false },
      log: { type: 'string' },
    },
  });
  const options = {
    size: Number(values.size),
    seed: Number(values.seed),
    perSecond: Number(values['per-second']),
    killEveryMs: Number(values['kill-every-ms']),
    killsTemporal: values.temporal,
  };
  return { options, log: values.log };
}

async function openGraph(balancer: Balancer, { seed }: Options): Promise<WhatsAppSimulator> {
  return startWhatsAppSimulator({
    phoneNumberId: NUMBER,
    appSecret: SECRET,
    webhookUrl: `${balancer.url}/webhooks/whatsapp/${TENANT}`,
    noise: { seed, ...NOISE },
  });
}

function tenant(apiUrl: string): object {
  const keys = { accessToken: 'token', appSecret: SECRET, verifyToken: 'verify' };
  return {
    channels: [{ kind: 'whatsapp', phoneNumberId: NUMBER, ...keys, apiUrl }],
    autoAttach: [{ on: 'conversation.opened', agent: 'parrot', config: { thinksMs: 50 } }],
  };
}

function idOf({ seed }: Options) {
  return ({ by, n }: Step) => `wamid.CHAOS.${seed}.${by}.${n}`;
}

/** Each at its time, but no more at once than a provider keeps open: what is not answered comes again, and would drown the rest. */
async function post(
  steps: readonly Step[],
  { graph, options }: { graph: WhatsAppSimulator; options: Options },
): Promise<void> {
  const idFor = idOf(options);
  const open = new Set<Promise<unknown>>();
  const begun = Date.now();
  for (const step of steps) {
    const wait = begun + step.at - Date.now();
    if (wait > 0) await sleep(wait);
    while (open.size >= MOST_OPEN) await Promise.race(open);
    if (step.graph !== null) graph.failNext(step.graph);
    const { phone, n, passage } = step;
    const chosen = { id: idFor(step), passage };
    const posted: Promise<unknown> =
      step.by === 'customer'
        ? graph.customerSays(phone, String(n), chosen)
        : graph.humanEchoes(phone, 'I take this one', chosen);
    open.add(posted);
    void posted.finally(() => open.delete(posted));
  }
}

/** The next one is killed some seconds after the last one is back, so that a slow machine gets on as a fast one does. */
async function keepKilling(fleet: Fleet, options: Options, stop: AbortSignal): Promise<void> {
  for (const { afterMs, victim } of planKills(options)) {
    await sleep(afterMs, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return;
    await fleet.kill(victim);
    await fleet.complete();
  }
}

/** Nothing is open twice in a row, or nothing has moved for too long: then the judge says what. */
async function untilSettled(sql: postgres.Sql): Promise<void> {
  let last = '';
  let movedAt = Date.now();
  for (let quiet = 0; quiet < 2;) {
    const open = await unsettled(sql);
    quiet = Object.values(open).every((count) => count === 0) ? quiet + 1 : 0;
    const now = JSON.stringify(open);
    if (now !== last) {
      movedAt = Date.now();
      say(now);
    }
    if (Date.now() - movedAt > PATIENCE_MS) return;
    last = now;
    await sleep(LOOK_EVERY_MS);
  }
}

function planned(steps: readonly Step[], { seed, perSecond }: Options): Record<string, string | number> {
  const count = (which: (step: Step) => boolean) => steps.filter(which).length;
  return {
    'seed, messages a second': `${seed}, ${perSecond}`,
    'people, messages of customers, of humans': [
      new Set(steps.map(({ phone }) => phone)).size,
      count(({ by }) => by === 'customer'),
      count(({ by }) => by === 'human'),
    ].join(', '),
    'posted twice at once': count(({ passage }) => passage.copies > 1),
    'held back by up to 3 s': count(({ passage }) => passage.lateByMs > 0),
    'connections cut by the sender': count(({ passage }) => passage.cutAfterMs !== null),
    'troubles of the Graph API': count(({ graph }) => graph !== null),
  };
}

function print(rows: Readonly<Record<string, string | number>>): void {
  console.log('| events | |\n|---|---|');
  for (const [name, value] of Object.entries(rows)) console.log(`| ${name} | ${value} |`);
}

function say(text: string): void {
  console.error(text);
}
