import assert from 'node:assert/strict';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Worker } from '@temporalio/worker';
import { createWebhookActivities } from '../../src/activities/webhooks/attempt-webhook.ts';
import { createDispatcher, type Dispatcher } from '../../src/outbox/dispatcher.ts';
import { webhookWorkflowId } from '../../src/domain/ids.ts';
import { TASK_QUEUE } from '../../src/temporal/task-queues.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { aConversation, ACME, aRun } from '../support/facts.ts';
import { SILENT } from '../support/given.ts';
import { opened, SECRET, startReceiver, type Receiver } from '../support/receiver.ts';
import { devServer, testWorker } from '../support/temporal.ts';
import { until } from '../support/until.ts';

describe('the outbox, handed to a real Temporal', () => {
  let environment: TestWorkflowEnvironment;
  let worker: Worker;
  let running: Promise<void>;
  let store: TestDesk;
  let receiver: Receiver;
  let dispatcher: Dispatcher;
  before(async () => {
    environment = await devServer();
    store = await openTestDesk('PGlite', { subscribers: () => ['crm'] });
    receiver = await startReceiver();
    worker = await testWorker(environment, {
      activities: createWebhookActivities({
        desk: store.desk,
        endpoint: () => ({ url: receiver.url, secret: SECRET, allowPrivateNetwork: true }),
        log: SILENT,
        clock: Date.now,
      }),
    });
    running = worker.run();
    dispatcher = createDispatcher({ desk: store.desk, client: environment.client, log: SILENT });
  });
  beforeEach(() => void (receiver.received.length = 0));
  after(async () => {
    worker.shutdown();
    await running;
    await environment.teardown();
    await receiver.close();
    await store.close();
  });

  async function aDelivery() {
    await store.desk.runs.insertIfAbsent(aRun(aConversation().subject));
    const [waiting] = (await store.desk.outbox.list({ tenant: ACME, limit: 1 })).items;
    assert.ok(waiting !== undefined);
    const handle = environment.client.workflow.getHandle(webhookWorkflowId({ tenant: ACME, delivery: waiting.id }));
    const kept = async () => store.desk.outbox.get(ACME, waiting.id);
    return { id: waiting.id, handle, kept };
  }

  it('starts each delivery once, and the receiver has it', async () => {
    const { id, handle, kept } = await aDelivery();
    const started = await Promise.all([dispatcher.round(), dispatcher.round()]);
    assert.equal(started[0] + started[1], 1);
    await handle.result();
    assert.deepEqual(
      receiver.received.map((one) => opened(one)['id']),
      [id],
    );
    assert.equal((await kept())?.state, 'delivered');
    assert.equal(await dispatcher.round(), 0);
  });

  it('takes a workflow that a process started before it died for its own', async () => {
    receiver.answer({ status: 500 });
    const { id, kept } = await aDelivery();
    await environment.client.workflow.start('webhookDelivery', {
      workflowId: webhookWorkflowId({ tenant: ACME, delivery: id }),
      taskQueue: TASK_QUEUE,
      args: [{ v: 1, tenant: ACME, delivery: id, round: 0 }],
    });
    assert.equal(await dispatcher.round(), 1);
    assert.equal(await dispatcher.round(), 0);
    assert.equal((await kept())?.state, 'pending');
  });

  it('puts a redelivery in the place of a round that waits for hours', async () => {
    receiver.answer({ status: 503, headers: { 'retry-after': '7200' } });
    const { id, handle, kept } = await aDelivery();
    await dispatcher.round();
    await until('the first attempt', async () => (await kept())?.attempts === 1);
    receiver.answer({ status: 204 });
    await store.desk.outbox.redeliver(ACME, id);
    await dispatcher.round();
    await handle.result();
    assert.deepEqual([(await kept())?.state, (await kept())?.attempts], ['delivered', 2]);
  });
});
