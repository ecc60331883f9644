/** Brings one outgoing webhook to its endpoint: at once, and again for a day for as long as nobody took it. */
import { proxyActivities, sleep } from '@temporalio/workflow';
import { pauseAfter } from '../domain/webhooks.ts';
import { TASK_QUEUE } from '../temporal/task-queues.ts';
import type { WebhookActivities, WebhookDeliveryInput } from './webhook-delivery-types.ts';

/**
 * The receiver has 20 s, the rest is the desk's. Temporal's own retries are for us, not for the receiver: a worker that
 * died, a desk that does not answer.
 */
const { attemptWebhook } = proxyActivities<WebhookActivities>({
  taskQueue: TASK_QUEUE,
  startToCloseTimeout: '45s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

export async function webhookDelivery({ tenant, delivery, round }: WebhookDeliveryInput): Promise<void> {
  const began = Date.now();
  for (let attempt = 1; ; attempt += 1) {
    const nextInMs = pauseAfter(attempt, Date.now() - began);
    const attempted = await attemptWebhook({ tenant, delivery, round, nextInMs });
    if (attempted.result === 'over') return;
    await sleep(attempted.inMs, { summary: `attempt ${attempt + 1}` });
  }
}
