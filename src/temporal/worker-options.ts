/** How our workers are set up, with the reason of each number. */
import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import { workerIdentity } from './worker-identity.ts';
import type { WorkflowCode } from './workflow-code.ts';

export interface WorkerSetup {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly activities: object;
  /** Of Attaché. */
  readonly version: string;
}

/** The worker of the queue `attache`: workflows, effects, and ticks that call no model. */
export function mainWorkerOptions(
  setup: WorkerSetup & { readonly taskQueue: string; readonly code: WorkflowCode },
): WorkerOptions {
  return { ...shared(setup), ...setup.code, taskQueue: setup.taskQueue, maxCachedWorkflows: CACHED_WORKFLOWS };
}

/** The worker of the queue `attache-thinking`: ticks of agents with a model, and no workflows. */
export function thinkingWorkerOptions(setup: WorkerSetup & { readonly taskQueue: string }): WorkerOptions {
  return { ...shared(setup), taskQueue: setup.taskQueue, maxConcurrentActivityTaskExecutions: THINKING_TICKS };
}

/** A sleeper in the cache costs about 0.25 MB: a quarter of a gigabyte. One that was evicted is replayed in milliseconds. */
const CACHED_WORKFLOWS = 1_000;
/** Each holds a transcript and waits for a model; providers allow few parallel calls of one customer. */
const THINKING_TICKS = 50;

function shared({ connection, namespace, activities, version }: WorkerSetup): Omit<WorkerOptions, 'taskQueue'> {
  return {
    connection,
    namespace,
    activities,
    identity: workerIdentity(version),
    // Ticks and sends in flight may finish on a deploy: a send takes at most 20 s.
    shutdownGraceTime: '20s',
    // Cancellation reaches an activity with its heartbeat's answer: a takeover stops a tick within 2 s.
    maxHeartbeatThrottleInterval: '1s',
  };
}
