import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Worker } from '@temporalio/worker';
import { parseTenantId } from '../../src/domain/ids.ts';
import { TASK_QUEUE } from '../../src/temporal/task-queues.ts';
import {
  FAN_OUT,
  fanOutProgress,
  type FanOutActivities,
  type FanOutInput,
  type FanOutProgress,
  type Stepped,
} from '../../src/workflows/fan-out-types.ts';
import { testWorker, timeSkipping } from '../support/temporal.ts';
import { until } from '../support/until.ts';

describe('the workflow of a fan-out, with time skipped', () => {
  let environment: TestWorkflowEnvironment;
  let worker: Worker;
  let running: Promise<void>;
  let steps: number;
  let step: () => Promise<Stepped>;
  let cancelled: boolean;
  before(async () => {
    environment = await timeSkipping();
    const activities: FanOutActivities = {
      async stepFanOut() {
        steps += 1;
        return step();
      },
      async cancelFanOut() {
        cancelled = true;
      },
    };
    worker = await testWorker(environment, { activities });
    running = worker.run();
  });
  beforeEach(() => {
    steps = 0;
    cancelled = false;
  });
  after(async () => {
    worker.shutdown();
    await running;
    await environment.teardown();
  });

  const at = (done: number, state: FanOutProgress['state'] = 'running'): FanOutProgress => ({
    ...{ state, total: 1_000, done, skipped: 0, failed: 0 },
  });
  async function start() {
    const id = randomUUID();
    const input: FanOutInput = { v: 1, tenant: parseTenantId('acme'), id };
    return environment.client.workflow.start(FAN_OUT, {
      workflowId: `fan-out/acme/${id}`,
      taskQueue: TASK_QUEUE,
      args: [input],
    });
  }

  it('steps until it is over, waits where nobody answered, and rolls over without forgetting how far it is', async () => {
    step = async () => ({
      progress: at(steps, steps > 200 ? 'done' : 'running'),
      pauseMs: steps % 50 === 0 ? 2_000 : 0,
    });
    const handle = await start();
    assert.deepEqual(await handle.result(), at(201, 'done'));
    assert.equal(steps, 201);
    const latest = environment.client.workflow.getHandle(handle.workflowId);
    assert.notEqual((await latest.describe()).runId, handle.firstExecutionRunId);
    assert.deepEqual(await latest.query(fanOutProgress), at(201, 'done'));
  });

  it('is over at once when the desk no longer knows it', async () => {
    step = async () => ({ progress: null, pauseMs: 0 });
    assert.equal(await (await start()).result(), null);
  });

  it('cancelled in Temporal, tells the desk and finishes whoever’s turn had begun', async () => {
    step = async () =>
      cancelled ? { progress: at(5, 'cancelled'), pauseMs: 0 } : { progress: at(4), pauseMs: 86_400_000 };
    const handle = await start();
    // Asleep: the server that skips time is stuck for ever when a step's answer meets the cancel on its way.
    await until('its first step to be told', async () => (await handle.query(fanOutProgress)) !== null);
    await handle.cancel();
    assert.deepEqual(await handle.result(), at(5, 'cancelled'));
    assert.equal(cancelled, true);
  });
});
