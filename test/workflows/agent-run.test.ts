import assert from 'node:assert/strict';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { say } from '../../src/agents/effects.ts';
import { finish, reschedule } from '../../src/agents/outcomes.ts';
import { gate, RunRig, type TickOf } from '../support/run-rig.ts';
import { timeSkipping } from '../support/temporal.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('an attached agent', () => {
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

  it('wakes exactly when it said, again and again, and ends with what it decided', async () => {
    const wokeAt: number[] = [];
    const agent = rig.agent(({ tick, now, dueAt, state }) => {
      wokeAt.push(Date.parse(now) - (tick === 1 ? 0 : Date.parse(dueAt)));
      if (tick === 4) return finish({ status: 'COMPLETED', reason: 'goal_reached', state: { done: true } });
      return reschedule({ in: '6h', state: { n: Number(state['n'] ?? 0) + 1 }, effects: [say(`tick ${tick}`)] });
    });
    const run = await rig.attach(agent);
    const result = await run.handle.result();
    assert.deepEqual([result.status, result.reason, result.ticks], ['COMPLETED', 'goal_reached', 4]);
    assert.ok(
      wokeAt.slice(1).every((late) => late >= 0 && late < 1_000),
      wokeAt.join(),
    );
    assert.deepEqual(rig.sentTo(run), ['tick 1', 'tick 2', 'tick 3']);
    const record = await rig.desk.runs.get(run);
    assert.deepEqual(
      [record?.status, record?.reason, record?.state, record?.nextRunAt],
      ['COMPLETED', 'goal_reached', { done: true }, null],
    );
  });
});
