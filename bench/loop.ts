/**
 * The run loop beside a bare Temporal loop (condition with a time-out and one activity, nothing else), interleaved on one
 * embedded server, each worker in a process of its own: history events per tick, ticks per second over whole runs and in
 * the steady state (every run has ticked once, none has ticked its last), and CPU per tick in that state.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { startAttributes } from '../src/temporal/search-attributes.ts';
import { AGENT_RUN } from '../src/workflows/messages.ts';
import { aConversation, ACME, ANSWERING } from '../test/support/facts.ts';
import { devServer } from '../test/support/temporal.ts';
import { runWorkflowId } from '../src/domain/ids.ts';
import { KINDS, QUEUES, type FromWorker, type Kind, type Plan } from './loop-plan.ts';

/** `npm run bench -- loop [runs] [ticks]`. */
const PLAN: Plan = { runs: Number(process.argv[3] ?? 150), ticks: Number(process.argv[4] ?? 8), intervalMs: 1_000 };
const ROUNDS = 2;
/** Timer, activity and two workflow tasks: no wake-up that waits costs fewer events. */
const BARE_EVENTS = 11;
const WARM_UP: Plan = { ...PLAN, runs: 50 };
const SAMPLE_MS = 100;

interface Round {
  readonly eventsPerTick: number;
  readonly whole: number;
  readonly steady: number;
  /** Of the worker's process and of the server's, ms per tick in the steady state. */
  readonly workerMs: number;
  readonly serverMs: number;
}

export async function loop(): Promise<void> {
  const env = await devServer();
  const server = children().find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('start-dev')) ?? 0;
  const rounds = new Map<Kind, Round[]>();
  const workers = new Map<Kind, ChildProcess>();
  for (const kind of KINDS) workers.set(kind, await startWorker(env, kind));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const kind of round % 2 === 0 ? KINDS : [...KINDS].reverse()) {
      const worker = workers.get(kind);
      if (worker === undefined) continue;
      const plan = round === 0 ? WARM_UP : PLAN;
      const measured = await measure(env, { kind, worker, plan, server });
      if (round > 0) rounds.set(kind, [...(rounds.get(kind) ?? []), measured]);
    }
  }
  print(rounds);
  for (const worker of workers.values()) {
    worker.send('stop');
    await once(worker, 'exit');
  }
  await env.teardown();
}

async function startWorker(env: TestWorkflowEnvironment, kind: Kind): Promise<ChildProcess> {
  const file = fileURLToPath(new URL('./loop-worker.ts', import.meta.url));
  const worker = fork(file, [env.address, kind, JSON.stringify(PLAN)], { execArgv: ['--import', 'tsx'] });
  await once(worker, 'message');
  return worker;
}

async function measure(
  env: TestWorkflowEnvironment,
  of: { kind: Kind; worker: ChildProcess; plan: Plan; server: number },
): Promise<Round> {
  const { kind, worker, plan, server } = of;
  const samples: { at: number; worker: number; server: number }[] = [];
  const sampler = setInterval(
    () => samples.push({ at: Date.now(), worker: cpuMs(worker.pid ?? 0), server: cpuMs(server) }),
    SAMPLE_MS,
  );
  const startedAt = performance.now();
  const handles = await Promise.all(Array.from({ length: plan.runs }, async () => start(env, kind, plan)));
  await Promise.all(handles.map(async (handle): Promise<unknown> => handle.result()));
  const seconds = (performance.now() - startedAt) / 1_000;
  clearInterval(sampler);
  worker.send('report');
  const [ended] = (await once(worker, 'message')) as [Exclude<FromWorker, 'ready'>];
  const runs = Object.values(ended);
  const from = Math.max(...runs.map((ticks) => ticks[0] ?? 0));
  const to = Math.min(...runs.map((ticks) => ticks.at(-1) ?? 0));
  const inside = runs.flat().filter((at) => at > from && at <= to).length;
  const first = samples.find(({ at }) => at >= from);
  const last = samples.findLast(({ at }) => at <= to);
  const between = runs.flat().filter((at) => at > (first?.at ?? 0) && at <= (last?.at ?? 0)).length;
  const history = await handles[0]?.fetchHistory();
  await pause(500);
  return {
    eventsPerTick: eventsPerTick(history?.events ?? [], plan),
    whole: (plan.runs * plan.ticks) / seconds,
    steady: (inside * 1_000) / (to - from),
    workerMs: ((last?.worker ?? 0) - (first?.worker ?? 0)) / between,
    serverMs: ((last?.server ?? 0) - (first?.server ?? 0)) / between,
  };
}

async function start(env: TestWorkflowEnvironment, kind: Kind, { ticks, intervalMs }: Plan) {
  const { subject } = aConversation();
  const ref = { tenant: ACME, subject, slot: ANSWERING };
  const { workflow } = env.client;
  if (kind === 'bare')
    return workflow.start('bareLoop', {
      workflowId: `bare/${subject}`,
      taskQueue: kind,
      args: [{ ticks, intervalMs }],
    });
  const attach = { agent: 'bench', config: {}, origin: 'attach', actor: 'bench' };
  return workflow.start(AGENT_RUN, {
    workflowId: runWorkflowId(ref),
    taskQueue: QUEUES[kind],
    args: [{ v: 1, ...ref, attach }],
    typedSearchAttributes: startAttributes({ ...ref, agent: 'bench', nextRunAt: new Date().toISOString() }),
  });
}

/** Between the first and the last activity's completion: what starting and ending cost is not a wake-up's. */
function eventsPerTick(
  events: readonly { activityTaskCompletedEventAttributes?: unknown }[],
  { ticks: count }: Plan,
): number {
  const done = events.flatMap((event, index) => (event.activityTaskCompletedEventAttributes == null ? [] : [index]));
  const ticks = done.slice(-count - 1);
  return ((ticks.at(-2) ?? 0) - (ticks[1] ?? 0)) / Math.max(1, ticks.length - 3);
}

function children(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => stat(pid)?.[3] === String(process.pid));
}

function stat(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return ['', '', ...text.slice(text.lastIndexOf(')') + 2).split(' ')];
  } catch {
    return undefined;
  }
}

function cpuMs(pid: number): number {
  const fields = stat(pid);
  return (Number(fields?.[13] ?? 0) + Number(fields?.[14] ?? 0)) * 10;
}

function print(rounds: ReadonlyMap<Kind, readonly Round[]>): void {
  const load = loadavg().map((one) => one.toFixed(2));
  console.log(`node ${process.version}, ${cpus().length} cores, load ${load.join(' ')}`);
  console.log(`${PLAN.runs} runs × ${PLAN.ticks} ticks, ${ROUNDS} rounds each, interleaved; medians (least–most)\n`);
  console.log(
    '| loop | events per tick | ticks/s, whole runs | ticks/s, steady | worker ms/tick | server ms/tick |\n|---|---|---|---|---|---|',
  );
  const of = (kind: Kind, figure: keyof Round) => (rounds.get(kind) ?? []).map((round) => round[figure]);
  for (const kind of KINDS) {
    const range = (figure: keyof Round) => {
      const all = of(kind, figure);
      return `${median(all).toFixed(0)} (${Math.min(...all).toFixed(0)}–${Math.max(...all).toFixed(0)})`;
    };
    const figures = [median(of(kind, 'eventsPerTick')).toFixed(1), range('whole'), range('steady')];
    const costs = [median(of(kind, 'workerMs')).toFixed(2), median(of(kind, 'serverMs')).toFixed(2)];
    console.log(`| ${[kind, ...figures, ...costs].join(' | ')} |`);
  }
  if (median(of('run', 'eventsPerTick')) < BARE_EVENTS)
    console.log(
      '\nOVERLOADED: due times had passed before their timers began, so wake-ups were skipped; take fewer runs',
    );
  for (const kind of KINDS.slice(1)) {
    const ratio = (figure: 'whole' | 'steady') =>
      median(of(kind, figure).map((speed, round) => speed / (of('bare', figure)[round] ?? Infinity))).toFixed(2);
    console.log(`\n${kind} / bare: whole runs ${ratio('whole')}, steady ${ratio('steady')} (wanted: at least 0.80)`);
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
