/**
 * Reaches every run that an event's topic or a bulk act is for, a few a second, for as long as that takes. Who is next and
 * what became of whom is in the desk, so that this may be killed, rolled over or started anew anywhere.
 */
import {
  CancellationScope,
  CancelledFailure,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { isOver, pendingOf } from '../domain/fan-out.ts';
import { TASK_QUEUE } from '../temporal/task-queues.ts';
import { fanOutProgress, type FanOutActivities, type FanOutInput, type FanOutProgress } from './fan-out-types.ts';

/** Steps until it rolls over: a thousand events of history, small enough for any worker to read again. */
const STEPS_PER_RUN = 150;

/**
 * A step takes some seconds, more where runs answer slowly; a dead worker is noticed by its heartbeats. Tried without end:
 * what fails here is the desk or Temporal, and they come back.
 */
const activities = proxyActivities<FanOutActivities>({
  taskQueue: TASK_QUEUE,
  startToCloseTimeout: '5m',
  heartbeatTimeout: '10s',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
});

export async function fanOut(input: FanOutInput): Promise<FanOutProgress | null> {
  const { tenant, id } = input;
  const seen = { progress: input.progress ?? null };
  setHandler(fanOutProgress, () => seen.progress);
  try {
    return await work(input, seen);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    // Cancelled in Temporal: whoever's turn has begun has it, nobody else.
    return CancellationScope.nonCancellable(async () => {
      await activities.cancelFanOut({ tenant, id });
      return work(input, seen);
    });
  }
}

async function rollOver(input: FanOutInput): Promise<never> {
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled in Temporal');
  return continueAsNew<typeof fanOut>(input);
}

async function work(input: FanOutInput, seen: { progress: FanOutProgress | null }): Promise<FanOutProgress | null> {
  const { tenant, id } = input;
  for (let steps = 1; ; steps += 1) {
    const { progress, pauseMs } = await activities.stepFanOut({ tenant, id });
    seen.progress = progress;
    if (progress === null || isOver(progress.state)) return progress;
    setCurrentDetails(`${progress.done} of ${progress.total}, ${pendingOf(progress)} to come`);
    if (pauseMs > 0) await sleep(pauseMs, { summary: 'nobody answered' });
    if (steps >= STEPS_PER_RUN || workflowInfo().continueAsNewSuggested)
      // Cancelled together with the answer of this step: the next execution would not know.
      await rollOver({ ...input, progress });
  }
}
