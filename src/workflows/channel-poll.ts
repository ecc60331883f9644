/** Asks one channel, once, for what happened since the last time. A Temporal Schedule starts it every few minutes. */
import { proxyActivities } from '@temporalio/workflow';
import { TASK_QUEUE } from '../temporal/task-queues.ts';
import type { ChannelPolled, ChannelPollInput, PollActivities } from './channel-poll-types.ts';

/** A thousand conversations that stirred are a thousand calls; three tries, since the schedule itself comes again. */
const { pollChannel } = proxyActivities<PollActivities>({
  taskQueue: TASK_QUEUE,
  startToCloseTimeout: '5m',
  heartbeatTimeout: '1m',
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumAttempts: 3 },
});

/** The desk knows how far the last one came: one that fails leaves its time to the next. */
export async function channelPoll({ tenant, channel }: ChannelPollInput): Promise<ChannelPolled> {
  return pollChannel({ tenant, channel });
}
