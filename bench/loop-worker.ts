/** One worker of the loop benchmark, in a process of its own so that its CPU can be told apart. */
import { fileURLToPath } from 'node:url';
import { Context } from '@temporalio/activity';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { z } from 'zod';
import { createActivities } from '../src/activities/create-activities.ts';
import { defineAgent } from '../src/agents/define-agent.ts';
import { finish, reschedule } from '../src/agents/outcomes.ts';
import { VERSION } from '../src/processes/version.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';
import { mainWorkerOptions } from '../src/temporal/worker-options.ts';
import { workflowCode } from '../src/temporal/workflow-code.ts';
import type { TickInput } from '../src/workflows/activity-types.ts';
import { DATABASES, openTestDesk } from '../test/support/desk.ts';
import { QUEUES, type FromWorker, type Kind, type Plan, type ToWorker } from './loop-plan.ts';

const [address, kind, plan] = process.argv.slice(2) as [string, Kind, string];
await work(address, kind, JSON.parse(plan) as Plan);

async function work(address: string, kind: Kind, plan: Plan): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const connection = await NativeConnection.connect({ address });
  let ended: Record<string, number[]> = {};
  const opened = await activitiesOf(kind, plan);
  const activities = { ...opened.activities, [opened.tick.name]: noted((input) => opened.tick.act(input)) };
  const setup = { connection, namespace: 'default', taskQueue: QUEUES[kind], activities, version: VERSION };
  const options = mainWorkerOptions({ ...setup, code: await workflowCode() });
  const worker = await Worker.create(kind === 'bare' ? { ...options, workflowBundle: await bareLoop() } : options);

  function noted(act: (input: never) => Promise<unknown>) {
    return async (input: never): Promise<unknown> => {
      const result = await act(input);
      const { workflowId } = Context.current().info.workflowExecution ?? { workflowId: '' };
      (ended[workflowId] ??= []).push(Date.now());
      return result;
    };
  }
  process.on('message', (asked: ToWorker) => {
    if (asked === 'stop') return worker.shutdown();
    tell(ended);
    ended = {};
  });
  const running = worker.run();
  tell('ready');
  await running;
  await opened.close();
  await connection.close();
  if (process.connected) process.disconnect();
}

function bareLoop() {
  const workflowsPath = fileURLToPath(new URL('./bare-loop.workflow.ts', import.meta.url));
  return bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
}

function tell(message: FromWorker): void {
  process.send?.(message);
}

interface Opened {
  readonly activities: object;
  readonly tick: { readonly name: string; readonly act: (input: never) => Promise<unknown> };
  close(): Promise<void>;
}

async function activitiesOf(kind: Kind, plan: Plan): Promise<Opened> {
  const close = async () => undefined;
  if (kind === 'bare') return { activities: {}, tick: { name: 'work', act: async () => undefined }, close };
  const opened = await openTestDesk(DATABASES.at(-1));
  const agent = benchAgent(plan);
  const activities = createActivities({
    desk: opened.desk,
    agents: { get: () => agent },
    channels: { get: () => undefined },
    tenant: (id) => ({ id, name: 'Acme', timeZone: 'UTC', policies: {} }),
    holidays: { between: async () => [] },
    askPermit: async () => ({ permitted: false }),
    erps: { of: () => undefined },
    occurred: async () => undefined,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    metrics: createMetrics(),
    clock: Date.now,
  });
  return {
    activities,
    tick: { name: 'tick', act: async (input: TickInput) => activities.tick(input) },
    close: async () => opened.close(),
  };
}

/** Wakes after the interval until it has been awake often enough. */
function benchAgent({ ticks, intervalMs }: Plan) {
  return defineAgent({
    key: 'bench',
    version: 1,
    title: 'Bench',
    answers: true,
    attachesTo: 'conversation',
    config: z.strictObject({}),
    state: z.strictObject({ n: z.int() }),
    initialState: () => ({ n: 0 }),
    wakeOn: ['message.inbound'],
    policy: { jitter: '0s' },
    tick: ({ tick, state: { n } }) => {
      const state = { n: n + 1 };
      if (tick >= ticks) return finish({ status: 'COMPLETED', reason: 'goal_reached', state });
      return reschedule({ in: `${intervalMs}ms`, state });
    },
  });
}
