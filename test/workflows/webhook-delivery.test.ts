import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Worker } from '@temporalio/worker';
import { createWebhookActivities } from '../../src/activities/webhooks/attempt-webhook.ts';
import { ATTEMPT_OFFSETS_MS } from '../../src/domain/webhooks.ts';
import { TASK_QUEUE } from '../../src/temporal/task-queues.ts';
import type {
  AttemptInput,
  Attempted,
  WebhookActivities,
  WebhookDeliveryInput,
} from '../../src/workflows/webhook-delivery-types.ts';
import { WEBHOOK_DELIVERY } from '../../src/workflows/webhook-delivery-types.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { aConversation, ACME, aRun } from '../support/facts.ts';
import { SILENT } from '../support/given.ts';
import { SECRET, startReceiver, type Receiver } from '../support/receiver.ts';
import { timeSkipping, testWorker } from '../support/temporal.ts';

describe('the delivery of a webhook, with time skipped', () => {
  let environment: TestWorkflowEnvironment;
  let worker: Worker;
  let running: Promise<void>;
  let store: TestDesk;
  let receiver: Receiver;
  /** What attempts do; a test may put its own in. */
  let attempt: WebhookActivities['attemptWebhook'];
  /** When each attempt was made, in the workflow's time. */
  let made: number[];
  before(async () => {
    environment = await timeSkipping();
    store = await openTestDesk('PGlite', { subscribers: () => ['crm'] });
    receiver = await startReceiver();
    worker = await testWorker(environment, {
      activities: {
        attemptWebhook: async (input: AttemptInput): Promise<Attempted> => {
          made.push(await environment.currentTimeMs());
          return attempt(input);
        },
      },
    });
    running = worker.run();
  });
  beforeEach(() => {
    made = [];
    receiver.received.length = 0;
    const activities = createWebhookActivities({
      desk: store.desk,
      endpoint: () => ({ url: receiver.url, secret: SECRET, allowPrivateNetwork: true }),
      log: SILENT,
      clock: Date.now,
    });
    attempt = async (input) => activities.attemptWebhook(input);
  });
  after(async () => {
    worker.shutdown();
    await running;
    await environment.teardown();
    await receiver.close();
    await store.close();
  });

  async function deliver() {
    await store.desk.runs.insertIfAbsent(aRun(aConversation().subject));
    const [waiting] = (await store.desk.outbox.list({ tenant: ACME, limit: 1 })).items;
    assert.ok(waiting !== undefined);
    const input: WebhookDeliveryInput = { v: 1, tenant: ACME, delivery: waiting.id, round: 0 };
    await environment.client.workflow.execute(WEBHOOK_DELIVERY, {
      workflowId: `webhook/acme/${randomUUID()}`,
      taskQueue: TASK_QUEUE,
      args: [input],
    });
    const kept = await store.desk.outbox.get(ACME, waiting.id);
    assert.ok(kept !== null);
    return kept;
  }
  /** Seconds between the first attempt and each. */
  const offsets = () => made.map((at) => Math.round((at - (made[0] ?? 0)) / 1_000));
  /** Later by what a worker on a busy machine takes: the server's clock goes on while nothing is skipped. */
  const isNear = (seconds: number, planned: number) => seconds >= planned - 1 && seconds < planned + 60;

  it('is tried on the whole day’s schedule, then given up, under one id', async () => {
    receiver.answer({ status: 500 });
    const kept = await deliver();
    assert.deepEqual([kept.state, kept.attempts, kept.lastError], ['failed', 10, 'HTTP 500']);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1);
    for (const [n, offset] of offsets().entries())
      assert.ok(isNear(offset, (ATTEMPT_OFFSETS_MS[n] ?? 0) / 1_000), `attempt ${n + 1} after ${offset} s`);
  });

  it('ends with the first answer that takes it', async () => {
    receiver.answer({ status: 503 }, 'drop', { status: 200 });
    const kept = await deliver();
    assert.deepEqual([kept.state, kept.attempts], ['delivered', 3]);
    assert.deepEqual(
      kept.log.map(({ status }) => status),
      [503, null, 200],
    );
  });

  it('comes back when the receiver asked it to, and is on schedule again after that', async () => {
    receiver.answer({ status: 429, headers: { 'retry-after': '3600' } }, { status: 500 }, { status: 200 });
    await deliver();
    const [, second = 0, third = 0] = offsets();
    assert.ok(isNear(second, 3_600), `second after ${second} s`);
    assert.ok(isNear(third - second, 5), `third after ${third} s`);
  });

  it('outlives a desk that does not answer, without another attempt at the receiver', async () => {
    receiver.answer({ status: 200 });
    const real = attempt;
    let failures = 0;
    attempt = async (input) => {
      if (failures++ < 2) throw new Error('the desk is down');
      return real(input);
    };
    assert.equal((await deliver()).state, 'delivered');
    assert.equal(receiver.received.length, 1);
  });
});
