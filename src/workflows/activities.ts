/** The activities as a run calls them: which queue, which time-outs, and the reason of each number. */
import { proxyActivities } from '@temporalio/workflow';
import { ms } from '../domain/durations.ts';
import { TASK_QUEUE, THINKING_QUEUE } from '../temporal/task-queues.ts';
import type { RunActivities } from './activity-types.ts';
import type { PreparedAgent } from './run-data.ts';

/** A dead worker is noticed within this: ticks and effects heartbeat every second. */
const HEARTBEAT_TIMEOUT = '10s';
/** Temporal's priorities go from 1 to 5, and all else has 3. */
const MERELY_DUE = 4;
/** The activity itself gives up at `tickTimeout`; the server only steps in when it does not. */
const TICK_GRACE_MS = 5_000;

/**
 * Ticks are retried without end and without a deadline: what is not the agent's fault (a deploy, a queue, an unknown
 * version, an outage) must never count against it. `activities/failures.ts` throws what ends a wake-up as non-retryable.
 * @param of.isAwaited somebody waits for it: where work queues up, such as the overdue of an outage, it goes first.
 * @param of.isAlone one that is cancelled is over only when its worker has stopped it, or has not beaten for the time-out.
 */
export function thinking(
  agent: PreparedAgent,
  { summary, isAwaited, isAlone }: { readonly summary: string; readonly isAwaited: boolean; readonly isAlone: boolean },
): Pick<RunActivities, 'tick'> {
  return proxyActivities<RunActivities>({
    ...(isAwaited ? {} : { priority: { priorityKey: MERELY_DUE } }),
    taskQueue: agent.model ? THINKING_QUEUE : TASK_QUEUE,
    startToCloseTimeout: ms(agent.policy.tickTimeout) + TICK_GRACE_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType: isAlone ? 'WAIT_CANCELLATION_COMPLETED' : 'TRY_CANCEL',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
    summary,
  });
}

/**
 * Four attempts within about half a minute (2 + 4 + 8 s between them); then the effect is parked and the loop goes on.
 * One attempt: 3 s for the permit, 20 s for the provider, the rest for the desk.
 */
export function effects(summary: string): Pick<RunActivities, 'perform'> {
  return proxyActivities<RunActivities>({
    taskQueue: TASK_QUEUE,
    startToCloseTimeout: '45s',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType: 'TRY_CANCEL',
    retry: { initialInterval: '2s', backoffCoefficient: 2, maximumAttempts: 4 },
    summary,
  });
}

/** Reads and writes of the desk: tried until the desk is back. */
export function records(summary: string): Pick<RunActivities, 'prepare' | 'catchUp' | 'takeBack' | 'recordEnd'> {
  return proxyActivities<RunActivities>({
    taskQueue: TASK_QUEUE,
    startToCloseTimeout: '30s',
    cancellationType: 'TRY_CANCEL',
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
    summary,
  });
}
