/** Workers of one or both task queues in this process. */
import { Client } from '@temporalio/client';
import { Runtime, Worker } from '@temporalio/worker';
import { createActivities } from '../activities/create-activities.ts';
import type { ActivityDeps } from '../activities/deps.ts';
import { createFanOutActivities } from '../activities/fan-out/step-fan-out.ts';
import { createPollActivities } from '../activities/poll-channel.ts';
import { createWebhookActivities } from '../activities/webhooks/attempt-webhook.ts';
import { createHolidayCalendar } from '../activities/holiday-calendar.ts';
import { within } from '../client/rpc.ts';
import { createRunClient } from '../client/run-client.ts';
import { tell } from '../client/tell.ts';
import { DEFAULT_PER_SECOND } from '../domain/fan-out.ts';
import { createInvestigationActivities } from '../activities/investigations/create-investigation-activities.ts';
import { connectWorker, type TemporalTarget } from '../temporal/connection.ts';
import { TASK_QUEUE, THINKING_QUEUE } from '../temporal/task-queues.ts';
import { mainWorkerOptions, thinkingWorkerOptions } from '../temporal/worker-options.ts';
import { workflowCode } from '../temporal/workflow-code.ts';
import { INVESTIGATION, occurred } from '../workflows/investigation-messages.ts';
import type { FanOutActivities } from '../workflows/fan-out-types.ts';
import { eventArrived, sendPermit } from '../workflows/messages.ts';
import type { WebhookActivities } from '../workflows/webhook-delivery-types.ts';
import type { InvestigationActivities } from '../workflows/investigation-types.ts';
import { agentRuns } from './agent-runs.ts';
import { decisionLinks } from './decision-links.ts';
import type { Foundation } from './foundation.ts';
import { useOurLog } from './temporal-log.ts';
import { VERSION } from './version.ts';

export const QUEUES = [TASK_QUEUE, THINKING_QUEUE] as const;
export type Queue = (typeof QUEUES)[number];

/** The run's answer is waited for this long; no answer is a no. */
const PERMIT_DEADLINE_MS = 3_000;
/** The start of an investigation; the effect is tried again after it. */
const OPEN_DEADLINE_MS = 10_000;

export interface RunningWorker {
  /** Rejects when a worker dies; fulfilled after `stop`. */
  readonly done: Promise<void>;
  /** Takes no more work, lets what runs finish (20 s), then ends. */
  stop(): Promise<void>;
}

/** @throws {TemporalUnreachableError} */
export async function startWorker(
  foundation: Foundation,
  target: TemporalTarget,
  queues: readonly Queue[] = QUEUES,
): Promise<RunningWorker> {
  useOurLog(foundation.log);
  const connection = await connectWorker(target);
  const client = new Client({ connection, namespace: target.namespace });
  const setup = {
    connection,
    namespace: target.namespace,
    version: VERSION,
    activities: {
      ...createActivities(activityDeps(foundation, client)),
      ...webhookActivities(foundation),
      ...fanOutActivities(foundation, client),
      ...investigationActivities(foundation, client),
      ...createPollActivities({ ...foundation, clock: Date.now }),
    },
  };
  const workers = await Promise.all(
    queues.map(async (taskQueue) =>
      Worker.create(
        taskQueue === TASK_QUEUE
          ? mainWorkerOptions({ ...setup, taskQueue, code: await workflowCode(Runtime.instance().logger) })
          : thinkingWorkerOptions({ ...setup, taskQueue }),
      ),
    ),
  );
  const done = Promise.all(workers.map(async (worker) => worker.run())).then(async () => connection.close());
  return {
    done,
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await done;
    },
  };
}

function activityDeps(
  { config, desk, agents, channels, erps, log, metrics }: Foundation,
  client: Client,
): ActivityDeps {
  return {
    desk,
    agents,
    channels,
    erps,
    tenant(id) {
      const tenant = config.tenants[id];
      if (tenant === undefined) return undefined;
      const policies = Object.fromEntries(Object.entries(tenant.agents).map(([key, { policy }]) => [key, policy]));
      return { id, name: tenant.name ?? id, timeZone: tenant.timeZone, country: tenant.country, policies };
    },
    holidays: createHolidayCalendar(),
    askPermit: async (workflowId, request) =>
      within(client, PERMIT_DEADLINE_MS, async () => client.workflow.getHandle(workflowId).query(sendPermit, request)),
    occurred: async ({ workflowId, input, occurred: told }) => {
      await within(client, OPEN_DEADLINE_MS, async () =>
        client.workflow.signalWithStart(INVESTIGATION, {
          workflowId,
          taskQueue: TASK_QUEUE,
          args: [input],
          signal: occurred,
          signalArgs: [told],
          priority: { fairnessKey: input.tenant },
        }),
      );
    },
    log,
    metrics,
    clock: Date.now,
  };
}

function investigationActivities(foundation: Foundation, client: Client): InvestigationActivities {
  return createInvestigationActivities({
    ...activityDeps(foundation, client),
    erps: foundation.erps,
    runs: agentRuns(client),
    links: decisionLinks(foundation.config),
  });
}

function webhookActivities({ config, desk, log }: Foundation): WebhookActivities {
  return createWebhookActivities({
    desk,
    endpoint: (tenant, id) => config.tenants[tenant]?.webhooks.find((one) => one.id === id),
    log,
    clock: Date.now,
  });
}

function fanOutActivities({ config, desk, log }: Foundation, client: Client): FanOutActivities {
  return createFanOutActivities({
    desk,
    voice: {
      ...createRunClient(client, { isRecorded: true }),
      tell: async ({ workflowId }, event) => tell(client, workflowId, eventArrived, event),
    },
    perSecond: (tenant) => config.tenants[tenant]?.fanOut.perSecond ?? DEFAULT_PER_SECOND,
    log,
  });
}
