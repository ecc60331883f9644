/**
 * One Temporal Schedule for each channel whose webhooks may be lost: made, changed and removed at a server's start, so that any
 * number of servers agree. Those of tenants that this configuration does not name are somebody else's, and left alone.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ScheduleAlreadyRunning, type Client, type ScheduleOptions } from '@temporalio/client';
import { ms } from '../domain/durations.ts';
import { parsePollScheduleId, pollScheduleId, type TenantId } from '../domain/ids.ts';
import { TASK_QUEUE } from '../temporal/task-queues.ts';
import { CHANNEL_POLL, type ChannelPollInput } from '../workflows/channel-poll-types.ts';
import type { IntakeDeps } from './deps.ts';

const RETRY_EVERY_MS = 30_000;
/** Starts that Temporal itself missed are of no use but for the last: a poll reaches back to the one before. */
const CATCHUP_MS = 60_000;

export interface PolledChannel {
  readonly tenant: TenantId;
  /** Key of the channel. */
  readonly channel: string;
  /** A duration. */
  readonly every: string;
}

export interface PollSchedulesDeps {
  readonly client: Client;
  readonly polled: readonly PolledChannel[];
  /** Whose schedules these are to make and to remove. */
  readonly tenants: readonly TenantId[];
  readonly log: IntakeDeps['log'];
}

/** Tries until Temporal has taken it; resolves then, or when stopped. Polling is a net: nothing waits for it. */
export async function keepPollSchedules(deps: PollSchedulesDeps, stop: AbortSignal): Promise<void> {
  while (!stop.aborted)
    try {
      await setPollSchedules(deps);
      return;
    } catch (error) {
      deps.log.warn({ problem: String(error) }, 'the schedules that poll channels could not be set; tried again');
      await sleep(RETRY_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
    }
}

/** Idempotent. @throws when Temporal does not answer. */
export async function setPollSchedules({ client, polled, tenants, log }: PollSchedulesDeps): Promise<void> {
  const wanted = new Map(polled.map((one) => [pollScheduleId(one), one]));
  for await (const { scheduleId } of client.schedule.list()) {
    const poll = parsePollScheduleId(scheduleId);
    if (poll === undefined || wanted.has(scheduleId)) continue;
    if (!tenants.includes(poll.tenant)) {
      log.warn(
        { schedule: scheduleId },
        'polls for a tenant that is not in this configuration; delete it if nobody has it',
      );
      continue;
    }
    await client.schedule.getHandle(scheduleId).delete();
    log.info({ schedule: scheduleId }, 'a channel that is gone is polled no more');
  }
  for (const [scheduleId, one] of wanted) await ensure(client, scheduleId, one);
}

async function ensure(client: Client, scheduleId: string, { tenant, channel, every }: PolledChannel): Promise<void> {
  const input: ChannelPollInput = { v: 1, tenant, channel };
  const spec = { intervals: [{ every: ms(every) }] };
  const action = {
    type: 'startWorkflow',
    workflowType: CHANNEL_POLL,
    workflowId: scheduleId,
    taskQueue: TASK_QUEUE,
    args: [input],
  } as const;
  const policies = { overlap: 'SKIP', catchupWindow: CATCHUP_MS } as const;
  const options: ScheduleOptions = { scheduleId, spec, action, policies };
  try {
    await client.schedule.create(options);
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    // What a person has paused stays so.
    await client.schedule.getHandle(scheduleId).update(({ state }) => ({ spec, action, policies, state }));
  }
}
