/**
 * Fan-outs on their way to Temporal: written down in the desk first, then one workflow each. What a crash left between the
 * two the reconciler starts; two that start one are one, by the workflow's id.
 */
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { DEADLINES, within } from '../client/rpc.ts';
import type { DeliverableEvent, Desk, FanOut, FanOutRef } from '../desk/desk.ts';
import { refOf } from '../domain/event-refs.ts';
import { isOver, type BulkTask } from '../domain/fan-out.ts';
import { fanOutWorkflowId, topicOf, type TenantId, type TopicSubject } from '../domain/ids.ts';
import { TASK_QUEUE } from '../temporal/task-queues.ts';
import { FAN_OUT, type FanOutInput } from '../workflows/fan-out-types.ts';
import type { IntakeDeps } from './deps.ts';

export interface FanOutDeps {
  readonly desk: Pick<Desk, 'fanOuts'>;
  readonly client: Client;
  readonly log: IntakeDeps['log'];
}
export interface FanOuts {
  /** Accepted once the desk has it. The same key is the same act: `isNew` false, and whatever that one asked for. */
  act(order: {
    readonly tenant: TenantId;
    readonly key: string;
    readonly task: BulkTask;
  }): Promise<{ readonly fanOut: FanOut; readonly isNew: boolean }>;
  /** To every run that follows the topic. @throws when it could not be handed over. */
  tell(event: DeliverableEvent & { readonly subject: TopicSubject }): Promise<void>;
  /** Starts what waits; answers how many. */
  startWaiting(): Promise<number>;
}

const BATCH = 50;
/** A fresh one belongs to the process that made it; after this long that process is taken for dead. */
const START_GRACE_MS = 3_000;

export function createFanOuts({ desk, client, log }: FanOutDeps): FanOuts {
  async function start({ tenant, id }: FanOutRef): Promise<void> {
    const input: FanOutInput = { v: 1, tenant, id };
    try {
      await within(client, DEADLINES.start, async () =>
        client.workflow.start(FAN_OUT, {
          workflowId: fanOutWorkflowId({ tenant, id }),
          taskQueue: TASK_QUEUE,
          args: [input],
          priority: { fairnessKey: tenant },
          staticSummary: 'fan-out',
        }),
      );
    } catch (error) {
      // Started by a process that died before it could say so; or it was only late.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    await desk.fanOuts.markStarted({ tenant, id });
  }

  return {
    async act({ tenant, key, task }) {
      const begun = await desk.fanOuts.begin({ tenant, key, task });
      if (!isOver(begun.fanOut.state) && begun.fanOut.startedAt === null)
        await start(begun.fanOut).catch((error: unknown) => {
          log.warn({ fanOut: begun.fanOut.id, problem: String(error) }, 'a bulk act could not be started yet');
        });
      return begun;
    },
    async tell(event) {
      const { tenant, key, storedAt, requeues = 0 } = event;
      const task = { kind: 'topic', topic: topicOf(event.subject), event: refOf(event), storedAt } as const;
      const { fanOut } = await desk.fanOuts.begin({ tenant, key: `${key}:${requeues}`, task });
      if (!isOver(fanOut.state) && fanOut.startedAt === null) await start(fanOut);
    },
    async startWaiting() {
      const waiting = await desk.fanOuts.unstarted({ olderThanMs: START_GRACE_MS, limit: BATCH });
      for (const ref of waiting) await start(ref);
      return waiting.length;
    },
  };
}
