/** Half a minute: that server keeps workers waiting as they stop, and takes signals slowly. */
import assert from 'node:assert/strict';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { reschedule } from '../../src/agents/outcomes.ts';
import { detached } from '../../src/workflows/messages.ts';
import { RunRig } from '../support/run-rig.ts';
import { timeSkipping } from '../support/temporal.ts';
import { until } from '../support/until.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a sleeping agent', () => {
  let environment: TestWorkflowEnvironment;
  let rig: RunRig;
  before(async () => {
    environment = await timeSkipping();
    rig = await RunRig.open(environment);
  });
  after(async () => {
    await rig.close();
    await environment.teardown();
  });

  it('ticks once, when it said, though all four workers are replaced at +1, +3 and +5 hours (C1)', async () => {
    const woke: number[] = [];
    await rig.stopWorkers();
    await rig.startWorkers(4, true);
    const run = await rig.attach(
      rig.agent(({ now }) => {
        woke.push(Date.parse(now));
        return reschedule({ in: woke.length === 1 ? '6h' : '30d', state: {} });
      }),
    );
    await rig.asleep(run, 1);
    for (const hours of [1, 2, 2]) {
      await environment.sleep(hours * HOUR);
      await rig.stopWorkers();
      await rig.startWorkers(4, true);
      assert.equal(woke.length, 1);
    }
    await environment.sleep(2 * HOUR);
    await rig.asleep(run, 2);
    const [first = 0, second = 0] = woke;
    assert.equal(woke.length, 2);
    assert.ok(second - first >= 6 * HOUR && second - first < 6 * HOUR + MINUTE, `${second - first} ms`);
    await rig.end(run);
  });

  it('rolls over after two thousand signals, and sleeps on as it was', async () => {
    const run = await rig.attach(rig.agent(() => reschedule({ in: '6h', state: { kept: true } })));
    const before = await rig.asleep(run, 1);
    const at = new Date(await rig.now()).toISOString();
    const stale = { at, actor: 'ana', attachment: 'another' as typeof run.id };
    for (let sent = 0; sent < 2_000; sent += 100)
      await Promise.all(Array.from({ length: 100 }, async () => run.handle.signal(detached, stale)));
    await until('the next execution', async () => (await run.handle.describe()).runId !== run.id);
    const after = await rig.view(run);
    assert.deepEqual(
      [after.id, after.nextRunAt, after.ticks, after.state],
      [before.id, before.nextRunAt, 1, { kept: true }],
    );
    await rig.end(run);
  });
});
