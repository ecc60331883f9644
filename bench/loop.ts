/**
 * The run loop beside a bare Temporal loop (condition with a time-out and one activity, nothing else): history events
 * per tick and ticks per second, interleaved in one run on one embedded server. Both do nothing in their activity, so
 * that what is measured is the loop: its search attribute, its state, its messages.
 */
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import {
  bundleWorkflowCode,
  DefaultLogger,
  Runtime,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { resolvePolicy } from '../src/domain/schemas/policy.ts';
import { SEARCH_ATTRIBUTES } from '../src/temporal/search-attributes.ts';
import { TASK_QUEUE } from '../src/temporal/task-queues.ts';
import type { AgentRunInput } from '../src/workflows/agent-run-input.ts';
import type { Prepared, RunActivities, TickInput, TickResult } from '../src/workflows/activity-types.ts';

const RUNS = 100;
const TICKS = 10;
const ROUNDS = 3;
/** Long enough that every wait is a timer also under load: an absolute due time that is past would skip it. */
const INTERVAL_MS = 1_000;

interface Round {
  readonly eventsPerTick: number;
  readonly ticksPerSecond: number;
}

export async function loop(): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const env = await startServer();
  const workers = await Promise.all([
    worker(env, { queue: TASK_QUEUE, workflows: '../src/workflows/index.ts', activities: runActivities() }),
    worker(env, { queue: 'bare', workflows: './bare-loop.workflow.ts', activities: { work: async () => undefined } }),
  ]);
  const running = workers.map(async (each) => each.run());
  const bare: Round[] = [];
  const ours: Round[] = [];
  // One unmeasured round each: compilers and caches warm up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const order = round % 2 === 0 ? [bare, ours] : [ours, bare];
    for (const into of order) {
      const measured = await measure(env, into === bare ? 'bareLoop' : 'agentRun', round);
      if (round > 0) into.push(measured);
    }
  }
  print(bare, ours);
  for (const each of workers) each.shutdown();
  await Promise.all(running);
  await env.teardown();
}

async function measure(env: TestWorkflowEnvironment, type: 'bareLoop' | 'agentRun', round: number): Promise<Round> {
  const ids = Array.from({ length: RUNS }, (_, index) => `run/bench/conversation/${type}-${round}-${index}/answering`);
  const startedAt = performance.now();
  const handles = await Promise.all(ids.map(async (workflowId) => start(env, type, workflowId)));
  for (const handle of handles) await handle.result();
  const seconds = (performance.now() - startedAt) / 1_000;
  const [first] = handles;
  const history = await first?.fetchHistory();
  return { eventsPerTick: eventsPerTick(history?.events ?? []), ticksPerSecond: (RUNS * TICKS) / seconds };
}

async function start(env: TestWorkflowEnvironment, type: string, workflowId: string) {
  const [, tenant, , conversation] = workflowId.split('/');
  const input = {
    v: 1,
    tenant,
    subject: `conversation/${conversation}`,
    slot: 'answering',
    attach: { agent: 'bench', config: {}, origin: 'attach', actor: 'bench' },
  } as AgentRunInput;
  const args = type === 'bareLoop' ? [{ ticks: TICKS, intervalMs: INTERVAL_MS }] : [input];
  return env.client.workflow.start(type, { workflowId, taskQueue: type === 'bareLoop' ? 'bare' : TASK_QUEUE, args });
}

/** Between the first and the last activity's completion: what starting and ending cost is not a wake-up's. */
function eventsPerTick(events: readonly { activityTaskCompletedEventAttributes?: unknown }[]): number {
  const done = events.flatMap((event, index) => (event.activityTaskCompletedEventAttributes == null ? [] : [index]));
  const ticks = done.slice(-TICKS - 1);
  return ((ticks.at(-2) ?? 0) - (ticks[1] ?? 0)) / Math.max(1, ticks.length - 3);
}

/** A run's activities that read and write nothing. */
function runActivities(): RunActivities {
  const due = (ms: number) => new Date(Date.now() + ms).toISOString();
  return {
    async prepare(): Promise<Prepared> {
      const policy = resolvePolicy({});
      const agent = { version: 1, model: false, wakeOn: [], config: {}, policy };
      return { result: 'ready', agent, state: {}, nextRunAt: due(INTERVAL_MS), nextRunWhy: 'bench', events: [] };
    },
    async tick({ tick }: TickInput): Promise<TickResult> {
      const state = { tick };
      const outcome =
        tick < TICKS
          ? ({ kind: 'reschedule', nextRunAt: due(INTERVAL_MS), state, effects: [], cancel: [] } as const)
          : ({ kind: 'finish', status: 'COMPLETED', reason: 'goal_reached', state, effects: [] } as const);
      return { result: 'outcome', outcome };
    },
    perform: async () => ({ result: 'done' }),
    catchUp: async () => ({ events: [], complete: true, readTo: 0 }),
    recordEnd: async () => undefined,
  };
}

async function startServer(): Promise<TestWorkflowEnvironment> {
  const path = process.env['TEMPORAL_CLI_PATH'] ?? fileURLToPath(new URL('../.attache/bin/temporal', import.meta.url));
  return TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path },
      searchAttributes: [...SEARCH_ATTRIBUTES],
      extraArgs: [
        '--log-level',
        'never',
        '--dynamic-config-value',
        'history.transferProcessorMaxPollRPS=2000',
        '--dynamic-config-value',
        'history.timerProcessorMaxPollRPS=2000',
      ],
    },
  });
}

async function worker(
  env: TestWorkflowEnvironment,
  of: { queue: string; workflows: string; activities: object },
): Promise<Worker> {
  const workflowBundle: WorkflowBundleWithSourceMap = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL(of.workflows, import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  });
  const { queue: taskQueue, activities } = of;
  return Worker.create({ connection: env.nativeConnection, taskQueue, workflowBundle, activities });
}

function print(bare: readonly Round[], ours: readonly Round[]): void {
  const line = (name: string, rounds: readonly Round[]) => {
    const speeds = rounds.map((round) => round.ticksPerSecond).sort((a, b) => a - b);
    const text = `${median(speeds).toFixed(0)} (${speeds[0]?.toFixed(0)}–${speeds.at(-1)?.toFixed(0)})`;
    return `| ${name} | ${median(rounds.map((round) => round.eventsPerTick)).toFixed(1)} | ${text} |`;
  };
  const ratio = median(ours.map((round, index) => round.ticksPerSecond / (bare[index]?.ticksPerSecond ?? Infinity)));
  console.log(
    `node ${process.version}, ${cpus().length} cores, load ${loadavg()
      .map((load) => load.toFixed(2))
      .join(' ')}`,
  );
  console.log(`${RUNS} runs × ${TICKS} ticks, ${ROUNDS} rounds each, interleaved; medians (least–most)\n`);
  console.log('| loop | history events per tick | ticks per second |\n|---|---|---|');
  console.log(line('bare Temporal loop', bare));
  console.log(line('run loop', ours));
  console.log(`\nrun loop / bare loop, median of the rounds: ${ratio.toFixed(2)} (wanted: at least 0.80)`);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
