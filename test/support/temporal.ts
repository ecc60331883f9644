/** Temporal for tests: a server that skips time, a real one, and our workflow code, bundled once. */
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, Worker, type NativeConnection } from '@temporalio/worker';
import { createActivities } from '../../src/activities/create-activities.ts';
import type { ActivityDeps } from '../../src/activities/deps.ts';
import { SEARCH_ATTRIBUTES } from '../../src/temporal/search-attributes.ts';
import { TASK_QUEUE } from '../../src/temporal/task-queues.ts';
import { workflowCode, type WorkflowCode } from '../../src/temporal/workflow-code.ts';
import type { WebhookActivities } from '../../src/workflows/webhook-delivery-types.ts';
import type { PollActivities } from '../../src/workflows/channel-poll-types.ts';
import type { RunActivities } from '../../src/workflows/activity-types.ts';
import type { FanOutActivities } from '../../src/workflows/fan-out-types.ts';
import { temporalCli, testServer } from './binaries.ts';
import { oneAtATime } from './one-at-a-time.ts';

/** See `src/temporal/embedded.ts`: a development server answers at once with these. */
const DYNAMIC_CONFIG = ['history.transferProcessorMaxPollRPS=2000', 'history.timerProcessorMaxPollRPS=2000'];

/** `temporal.api.enums.v1.IndexedValueType`. */
const WIRE_TYPES = { KEYWORD: 2, DATETIME: 6 } as const;

let isQuiet = false;

/** Failing activities are what many tests are about: only errors are worth a line. */
export function quiet(): void {
  if (isQuiet) return;
  isQuiet = true;
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
}

/** Time passes only when a test awaits a result or calls `sleep`; running activities hold it. No lists, no counts. */
export async function timeSkipping(): Promise<TestWorkflowEnvironment> {
  quiet();
  const executable = { type: 'existing-path', path: testServer() } as const;
  const environment = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
  // It can add search attributes, but not list them.
  const searchAttributes = Object.fromEntries(SEARCH_ATTRIBUTES.map(({ name, type }) => [name, WIRE_TYPES[type]]));
  await environment.connection.operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
  return environment;
}

/** The real development server, in memory, with our search attributes. */
export async function devServer(): Promise<TestWorkflowEnvironment> {
  quiet();
  return TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path: temporalCli() },
      searchAttributes: [...SEARCH_ATTRIBUTES],
      extraArgs: DYNAMIC_CONFIG.flatMap((value) => ['--dynamic-config-value', value]),
    },
  });
}

let code: Promise<WorkflowCode> | undefined;

/** Our workflows, as workers take them. */
export async function workflowBundle(): Promise<WorkflowCode['workflowBundle']> {
  code ??= oneAtATime('bundle', async () => workflowCode(new DefaultLogger('WARN')));
  return (await code).workflowBundle;
}

/**
 * A worker of the queue `attache`. The activities are made from `deps`, but for those given. Two at a time need each a
 * connection of its own.
 */
export async function testWorker(
  environment: TestWorkflowEnvironment,
  {
    deps,
    activities = {},
    connection = environment.nativeConnection,
    isForgetful = false,
  }: {
    deps?: ActivityDeps;
    activities?: Partial<RunActivities & FanOutActivities & PollActivities & WebhookActivities>;
    connection?: NativeConnection;
    /** Keeps no workflow: the server that skips time waits for ever for one that was kept by a worker that is gone. */
    isForgetful?: boolean;
  },
): Promise<Worker> {
  return Worker.create({
    connection,
    taskQueue: TASK_QUEUE,
    ...(isForgetful ? { maxCachedWorkflows: 0 } : {}),
    workflowBundle: await workflowBundle(),
    activities: { ...(deps === undefined ? {} : createActivities(deps)), ...activities },
    maxHeartbeatThrottleInterval: '1s',
    shutdownGraceTime: '1s',
  });
}
