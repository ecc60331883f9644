/** A worker of the fleet benchmark, in a process of its own so that its memory can be told apart. */
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createActivities } from '../src/activities/create-activities.ts';
import { createRegistry } from '../src/agents/registry.ts';
import { openDesk } from '../src/desk/open-desk.ts';
import { createErps } from '../src/erp/registry.ts';
import { VERSION } from '../src/processes/version.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';
import { TASK_QUEUE } from '../src/temporal/task-queues.ts';
import { mainWorkerOptions } from '../src/temporal/worker-options.ts';
import { workflowCode } from '../src/temporal/workflow-code.ts';
import type { RunActivities } from '../src/workflows/activity-types.ts';
import type { FromWorker, Plan, Report, Ticked, ToWorker } from './fleet-plan.ts';

const [plan] = process.argv.slice(2) as [string];
await work(JSON.parse(plan) as Plan);

async function work(plan: Plan): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const connection = await NativeConnection.connect({ address: plan.temporal });
  const desk = await openDesk(plan);
  const seen = { prepared: 0, putOff: 0, opened: 0, ticks: [] as Ticked[], erpSeconds: [] as number[] };
  const activities = noting(seen, plan, desk);
  const setup = { connection, namespace: 'default', taskQueue: TASK_QUEUE, activities, version: VERSION };
  const worker = await Worker.create(mainWorkerOptions({ ...setup, code: await workflowCode() }));
  process.on('message', (asked: ToWorker) => {
    if (asked === 'stop') worker.shutdown();
    else tell({ ...seen, peakMb: process.resourceUsage().maxRSS / 1_024 } satisfies Report);
  });
  const running = worker.run();
  tell('ready');
  await running;
  await desk.close();
  await connection.close();
  if (process.connected) process.disconnect();
}

function tell(message: FromWorker): void {
  process.send?.(message);
}

type Seen = { -readonly [Name in keyof Omit<Report, 'peakMb' | 'ticks' | 'erpSeconds'>]: Report[Name] } & {
  readonly ticks: Ticked[];
  readonly erpSeconds: number[];
};

function noting(seen: Seen, plan: Plan, desk: Awaited<ReturnType<typeof openDesk>>): RunActivities {
  const { erp: url, token, callsPerSecond } = plan;
  const settings = { timeZone: 'UTC', erp: { kind: 'http', url, token, callsPerSecond } } as const;
  const tenants = Object.fromEntries(plan.tenants.map((id) => [id, settings]));
  const nothing = () => undefined;
  const activities = createActivities({
    desk,
    agents: createRegistry(),
    channels: { get: nothing },
    erps: createErps({
      ...{ tenants, database: desk.database, limits: desk.limits },
      onCall: ({ seconds }) => seen.erpSeconds.push(seconds),
    }),
    tenant: (id) => ({ id, name: id, timeZone: 'UTC', policies: {} }),
    holidays: { between: async () => [] },
    askPermit: async () => ({ permitted: true }),
    occurred: async () => void (seen.opened += 1),
    log: { info: nothing, warn: nothing, error: nothing },
    metrics: createMetrics(),
    clock: Date.now,
  });
  return {
    ...activities,
    async prepare(input) {
      const prepared = await activities.prepare(input);
      seen.prepared += 1;
      return prepared;
    },
    async tick(input) {
      const startedAt = Date.now();
      try {
        const result = await activities.tick(input);
        const { run, tick, dueAt } = input;
        const lag = (startedAt - Date.parse(dueAt)) / 1_000;
        seen.ticks.push({ run: run.workflowId, agent: run.agent, tick, lag, endedAt: Date.now() });
        return result;
      } catch (error) {
        seen.putOff += 1;
        throw error;
      }
    },
  };
}
