/**
 * Hands the desk's outbox to Temporal: one workflow a delivery. The outbox is asked again and again, so what a crash left
 * unstarted needs no path of its own, and any number of servers may ask.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import type { Desk, DeliveryRound } from '../desk/desk.ts';
import { allOver } from '../domain/all-over.ts';
import { webhookWorkflowId } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import { TASK_QUEUE } from '../temporal/task-queues.ts';
import { WEBHOOK_DELIVERY, type WebhookDeliveryInput } from '../workflows/webhook-delivery-types.ts';

export interface DispatcherDeps {
  readonly desk: Pick<Desk, 'outbox'>;
  readonly client: Client;
  readonly log: { warn(fields: JsonObject, message: string): void };
}
export interface Dispatcher {
  /** Starts what waits; answers how much that was. @throws when the desk or Temporal does not answer. */
  round(): Promise<number>;
  /** Rounds until stopped; resolves when the last one is over. */
  run(stop: AbortSignal): Promise<void>;
}

const BATCH = 100;
/** How late the first attempt may be; a query by index per second costs nothing worth naming. */
const PAUSE_MS = 1_000;
const START_DEADLINE_MS = 5_000;

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const round = async (): Promise<number> => {
    const waiting = await deps.desk.outbox.takeUnstarted(BATCH);
    await allOver(waiting.map(async (one) => start(deps, one)));
    return waiting.length;
  };
  return {
    round,
    async run(stop) {
      while (!stop.aborted) {
        const started = await round().catch((error: unknown) => {
          deps.log.warn({ problem: String(error) }, 'outgoing webhooks could not be started');
          return 0;
        });
        if (started < BATCH) await sleep(PAUSE_MS, undefined, { signal: stop }).catch(() => undefined);
      }
    },
  };
}

async function start(
  { client, desk }: DispatcherDeps,
  { isNew, ...of }: DeliveryRound & { readonly isNew: boolean },
): Promise<void> {
  const { tenant, id: delivery, round } = of;
  const input: WebhookDeliveryInput = { v: 1, tenant, delivery, round };
  try {
    await client.withDeadline(Date.now() + START_DEADLINE_MS, async () =>
      client.workflow.start(WEBHOOK_DELIVERY, {
        workflowId: webhookWorkflowId({ tenant, delivery }),
        taskQueue: TASK_QUEUE,
        args: [input],
        // A redelivery takes the place of the round before, which may be waiting for hours.
        workflowIdConflictPolicy: isNew && round > 0 ? 'TERMINATE_EXISTING' : 'FAIL',
        priority: { fairnessKey: tenant },
      }),
    );
  } catch (error) {
    // Started by a process that died before it could say so; or it was only late.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  await desk.outbox.markStarted(of);
}
