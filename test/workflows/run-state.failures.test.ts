import assert from 'node:assert/strict';
import { anAsleepRun, endOf, inbound, outcome, reschedule, rolledOver, say, T0, wakeUp } from '../support/run-parts.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('a run whose wake-ups fail', () => {
  it('is removed by the third failed wake-up in a row, and a success resets', () => {
    const run = anAsleepRun();
    const fail = (now: number) => {
      run.beginTick(now);
      run.tickFailed('boom', now);
    };
    fail(T0);
    fail(T0 + HOUR);
    wakeUp(run, T0 + 2 * HOUR, outcome(reschedule(T0 + 3 * HOUR)));
    assert.equal(run.data.failures, 0);
    fail(T0 + 3 * HOUR);
    fail(T0 + 4 * HOUR);
    assert.equal(endOf(run), undefined);
    assert.equal(rolledOver(run).data.failures, 2);
    fail(T0 + 5 * HOUR);
    assert.equal(endOf(run), 'consecutive_failures');
    assert.equal(run.isLive(), false);
  });

  it('is tried again after retryAfter, or when an event wakes it first', () => {
    const run = anAsleepRun();
    run.eventArrived(inbound(1), T0);
    run.beginTick(T0 + 2_000);
    run.tickFailed('boom', T0 + 2_000);
    assert.deepEqual(run.nextStep(T0 + 3_000), { do: 'wait', until: T0 + 2_000 + HOUR });
    run.eventArrived(inbound(2), T0 + 4_000);
    assert.deepEqual(wakeUp(run, T0 + 6_000, outcome(reschedule(null))), ['e1', 'e2']);
  });

  it('does not count an outage for a day, then does', () => {
    const run = anAsleepRun();
    for (let at = T0; at < T0 + DAY; at += HOUR) {
      run.beginTick(at);
      run.tickPostponed('503', at);
      assert.deepEqual(run.nextStep(at), { do: 'wait', until: at + 5 * 60_000 });
    }
    assert.equal(run.data.failures, 0);
    for (const hours of [24, 25, 26]) {
      run.beginTick(T0 + hours * HOUR);
      run.tickPostponed('503', T0 + hours * HOUR);
    }
    assert.equal(endOf(run), 'consecutive_failures');
  });

  it('ends as crash_loop when the tick kills its workers', () => {
    const run = anAsleepRun();
    run.beginTick(T0);
    run.crashLooped('5 attempts', T0);
    assert.deepEqual([run.data.end?.status, run.data.end?.reason], ['REMOVED_BY_SYSTEM', 'crash_loop']);
  });
});

describe('an overtaken draft', () => {
  it('is thought again twice at most, then sent', () => {
    const run = anAsleepRun();
    let now = T0;
    for (let n = 1; n <= 2; n += 1, now += 10_000) {
      const told = run.beginTick(now);
      assert.ok(told);
      run.eventArrived(inbound(n), now + 1_000);
      assert.equal(run.isInterrupted(), true);
      if (n === 1) run.interrupted();
      else run.ticked(outcome(reschedule(null, { effects: [say()] })), told, now + 2_000);
      assert.deepEqual(run.data.effects, []);
    }
    const told = run.beginTick(now);
    assert.ok(told);
    run.eventArrived(inbound(3), now + 1_000);
    assert.equal(run.isInterrupted(), false);
    run.ticked(outcome(reschedule(null, { effects: [say()] })), told, now + 2_000);
    assert.equal(run.data.effects.length, 1);
    assert.deepEqual(
      run.data.queue.map(({ id }) => id),
      ['e3'],
    );
  });

  it('is sent when policy says so, and by events that are not the customer’s words', () => {
    const sending = anAsleepRun({ policy: { onOvertaken: 'send' } });
    sending.beginTick(T0);
    sending.eventArrived(inbound(1), T0);
    assert.equal(sending.isInterrupted(), false);
    const other = anAsleepRun({ wakeOn: ['message.inbound', 'record.changed'] });
    other.beginTick(T0);
    other.eventArrived(inbound(1, { type: 'record.changed' }), T0);
    assert.equal(other.isInterrupted(), false);
  });
});
