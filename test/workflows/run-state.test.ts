import assert from 'node:assert/strict';
import { effectKey } from '../../src/domain/ids.ts';
import { QUEUE_LIMIT } from '../../src/workflows/run-data.ts';
import type { RunState } from '../../src/workflows/run-state.ts';
import {
  anAsleepRun,
  aRun,
  ATTACHMENT,
  beginNext,
  finish,
  inbound,
  iso,
  outcome,
  reschedule,
  rolledOver,
  say,
  T0,
  takeOver,
  wakeUp,
} from '../support/run-parts.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('a run, waking and waiting', () => {
  describe('sleeping and waking (rules 5, 7, 9)', () => {
    it('sleeps exactly until its due time, a year ahead too', () => {
      const run = anAsleepRun({ due: T0 + 364 * DAY });
      assert.deepEqual(run.nextStep(T0), { do: 'wait', until: T0 + 364 * DAY });
      assert.deepEqual(run.nextStep(T0 + 364 * DAY - 1), { do: 'wait', until: T0 + 364 * DAY });
      assert.deepEqual(run.nextStep(T0 + 364 * DAY), { do: 'tick', why: 'due' });
    });

    it('wakes once for a burst: after quiet, or at most after max', () => {
      const run = anAsleepRun();
      run.eventArrived(inbound(1), T0);
      assert.deepEqual(run.nextStep(T0), { do: 'wait', until: T0 + 2_000 });
      for (let n = 2; n <= 8; n += 1) run.eventArrived(inbound(n), T0 + n * 1_000);
      assert.deepEqual(run.nextStep(T0 + 7_999), { do: 'wait', until: T0 + 8_000 });
      assert.deepEqual(run.nextStep(T0 + 8_000), { do: 'tick', why: 'event' });
    });

    it('counts an event once, whatever is delivered twice', () => {
      const run = anAsleepRun();
      run.eventArrived(inbound(1), T0);
      run.eventArrived(inbound(1), T0 + 1);
      assert.deepEqual(wakeUp(run, T0 + 2_000, outcome(reschedule(T0 + DAY))), ['e1']);
      run.eventArrived(inbound(1), T0 + 3_000);
      assert.deepEqual(run.nextStep(T0 + 9_000), { do: 'wait', until: T0 + DAY });
    });

    it('tells the next tick once of a message that did not arrive, and ends where its person cannot be reached', () => {
      const run = anAsleepRun();
      const key = effectKey({ workflowId: run.workflowId, attachment: ATTACHMENT, tick: 1, n: 0 });
      const lost = { id: 'e9', seq: 9, attachment: ATTACHMENT, key, reason: 'permanent: 131049', unreachable: false };
      run.undelivered(lost, T0);
      run.undelivered(lost, T0 + 1);
      assert.deepEqual(run.data.failedEffects, [{ key, kind: 'message.send', reason: 'permanent: 131049' }]);
      run.undelivered({ ...lost, id: 'e10', seq: 10, reason: 'unreachable: 131026', unreachable: true }, T0 + 2);
      assert.deepEqual([run.data.end?.reason, run.data.end?.comment], ['unreachable_contact', 'unreachable: 131026']);
    });

    it('keeps an event outside wakeOn for the next tick', () => {
      const run = anAsleepRun();
      run.eventArrived(inbound(1, { type: 'contact.updated' }), T0);
      assert.deepEqual(run.nextStep(T0 + 60_000), { do: 'wait', until: T0 + HOUR });
      assert.deepEqual(wakeUp(run, T0 + HOUR, outcome(reschedule(null))), ['e1']);
    });

    it('wakes at once for an event that came between outcome and sleep', () => {
      const run = anAsleepRun({ policy: { debounce: { quiet: '0s', max: '0s' }, onOvertaken: 'send' } });
      const told = run.beginTick(T0);
      assert.ok(told);
      run.eventArrived(inbound(1), T0 + 10);
      run.ticked(outcome(reschedule(T0 + DAY)), told, T0 + 20);
      assert.deepEqual(run.nextStep(T0 + 20), { do: 'tick', why: 'event' });
    });

    it('says that it is due when the due time fell into the burst', () => {
      const run = anAsleepRun({ due: T0 + 1_000 });
      run.eventArrived(inbound(1), T0);
      assert.deepEqual(run.nextStep(T0 + 1_500), { do: 'wait', until: T0 + 2_000 });
      assert.deepEqual(run.nextStep(T0 + 2_000), { do: 'tick', why: 'due' });
    });

    it('wakes for signals that were faster than prepare, with unanswered messages first and each once', () => {
      const run = aRun();
      run.beginPrepare();
      run.eventArrived(inbound(3), T0);
      const { agent } = anAsleepRun().data;
      assert.ok(agent);
      const plan = { nextRunAt: iso(T0 + DAY), nextRunWhy: 'first run' };
      const events = [inbound(1), inbound(2), inbound(3)];
      run.prepared({ result: 'ready', agent, state: {}, ...plan, events }, T0);
      run.eventArrived(inbound(2), T0);
      assert.deepEqual(run.nextStep(T0 + 2_000), { do: 'tick', why: 'event' });
      assert.deepEqual(wakeUp(run, T0 + 2_000, outcome(reschedule(null))), ['e1', 'e2', 'e3']);
    });
  });

  describe('the queue beyond its limit', () => {
    function overflowed(count: number): RunState {
      const run = anAsleepRun({ policy: { onOvertaken: 'send' } });
      for (let n = 1; n <= count; n += 1) run.eventArrived(inbound(n), T0);
      return run;
    }
    const page = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => inbound(from + n));

    it('keeps a thousand references, then its place in the desk, and misses none', () => {
      const run = overflowed(QUEUE_LIMIT + 50);
      assert.equal(run.data.queue.length, QUEUE_LIMIT);
      assert.equal(wakeUp(run, T0 + 8_000, outcome(reschedule(null))).length, QUEUE_LIMIT);
      assert.deepEqual(run.nextStep(T0 + 8_000), { do: 'catchUp' });
      assert.equal(run.beginCatchUp(), QUEUE_LIMIT);
      run.caughtUp({ events: page(1_001, 1_050), complete: true, readTo: 1_050 }, T0 + 8_000);
      assert.deepEqual(run.nextStep(T0 + 10_000), { do: 'tick', why: 'event' });
      assert.equal(wakeUp(run, T0 + 10_000, outcome(reschedule(null))).length, 50);
      assert.equal(run.data.overflow, null);
    });

    it('reads again for an event that arrived while the desk was being read', () => {
      const run = overflowed(QUEUE_LIMIT + 1);
      wakeUp(run, T0 + 8_000, outcome(reschedule(null)));
      run.beginCatchUp();
      run.eventArrived(inbound(1_002), T0 + 8_100);
      run.caughtUp({ events: page(1_001, 1_001), complete: true, readTo: 1_001 }, T0 + 8_200);
      assert.deepEqual(wakeUp(run, T0 + 12_000, outcome(reschedule(null))), ['e1001']);
      assert.equal(run.nextStep(T0 + 12_000).do, 'catchUp');
      assert.equal(run.beginCatchUp(), 1_001);
      run.caughtUp({ events: page(1_002, 1_002), complete: true, readTo: 1_002 }, T0 + 12_000);
      assert.deepEqual(wakeUp(run, T0 + 16_000, outcome(reschedule(null))), ['e1002']);
    });

    it('reads on past a page in which nothing concerns it', () => {
      const run = overflowed(QUEUE_LIMIT + 1);
      wakeUp(run, T0 + 8_000, outcome(reschedule(null)));
      run.beginCatchUp();
      run.caughtUp({ events: [], complete: false, readTo: 2_000 }, T0 + 8_000);
      assert.equal(run.nextStep(T0 + 8_000).do, 'catchUp');
      assert.equal(run.beginCatchUp(), 2_000);
    });

    it('queues a straggler beyond the limit, and reads nothing again for it', () => {
      const run = overflowed(QUEUE_LIMIT);
      run.eventArrived(inbound(1_001, { seq: 0 }), T0);
      assert.equal(run.data.overflow, null);
      assert.equal(wakeUp(run, T0 + 8_000, outcome(reschedule(null))).at(-1), 'e1001');
    });

    it('consumes no event twice when a page of the desk is read again', () => {
      const run = overflowed(QUEUE_LIMIT + 3);
      wakeUp(run, T0 + 8_000, outcome(reschedule(null)));
      run.beginCatchUp();
      run.eventArrived(inbound(1_004), T0 + 8_100);
      run.caughtUp({ events: page(1_001, 1_005), complete: true, readTo: 1_005 }, T0 + 8_200);
      assert.equal(wakeUp(run, T0 + 12_000, outcome(reschedule(null))).length, 5);
      assert.equal(run.beginCatchUp(), 1_003);
      run.caughtUp({ events: page(1_004, 1_006), complete: true, readTo: 1_006 }, T0 + 12_000);
      assert.deepEqual(wakeUp(run, T0 + 16_000, outcome(reschedule(null))), ['e1006']);
    });

    it('consumes nothing twice that waits behind so many stragglers that its id was forgotten', () => {
      const late = anAsleepRun({ policy: { onOvertaken: 'send' } });
      const stragglers = page(1, 2 * QUEUE_LIMIT - 1);
      for (const event of [inbound(5_001), ...stragglers, inbound(5_000)]) late.eventArrived(event, T0);
      assert.equal(wakeUp(late, T0 + 8_000, outcome(reschedule(null))).length, 2 * QUEUE_LIMIT);
      late.caughtUp({ events: page(5_000, 5_001), complete: true, readTo: late.beginCatchUp() + 2 }, T0 + 8_000);
      assert.deepEqual(wakeUp(late, T0 + 12_000, outcome(reschedule(null))), ['e5000']);
    });

    it('takes the signal of an event that it has read in the desk already for what it is', () => {
      const run = overflowed(QUEUE_LIMIT + 1);
      wakeUp(run, T0 + 8_000, outcome(reschedule(null)));
      run.beginCatchUp();
      run.caughtUp({ events: page(1_001, 1_002), complete: true, readTo: 1_002 }, T0 + 8_000);
      run.eventArrived(inbound(1_002), T0 + 8_100);
      assert.deepEqual(wakeUp(run, T0 + 20_000, outcome(reschedule(null))), ['e1001', 'e1002']);
    });
  });

  describe('pause, resume, snooze, wake', () => {
    it('lets a due time and events pass while paused, and runs one tick when resumed', () => {
      const run = anAsleepRun();
      run.pause({ actor: 'ana' });
      run.eventArrived(inbound(1), T0);
      assert.deepEqual(run.nextStep(T0 + DAY), { do: 'wait', until: Infinity });
      run.resume({}, T0 + DAY, 0);
      assert.equal(run.nextStep(T0 + DAY).do, 'tick');
      assert.deepEqual(wakeUp(run, T0 + DAY, outcome(reschedule(T0 + 2 * DAY))), ['e1']);
      assert.deepEqual(run.nextStep(T0 + DAY), { do: 'wait', until: T0 + 2 * DAY });
    });

    it('resumes by itself when told until when', () => {
      const run = anAsleepRun();
      run.pause({ actor: 'ana', until: iso(T0 + 2 * HOUR) });
      assert.deepEqual(run.nextStep(T0), { do: 'wait', until: T0 + 2 * HOUR });
      assert.equal(run.nextStep(T0 + 2 * HOUR).do, 'resume');
    });

    it('spreads a bulk resume, but not what an event or an operator asks for', () => {
      const run = anAsleepRun({ due: T0 });
      run.pause({ actor: 'ana' });
      run.resume({ jitterMs: 60_000 }, T0, 0.5);
      assert.deepEqual(run.nextStep(T0), { do: 'wait', until: T0 + 30_000 });
      run.wakeNow('ana');
      assert.deepEqual(run.nextStep(T0), { do: 'tick', why: 'operator' });
    });

    it('lets a running tick finish and its effects wait, those of an end too', () => {
      for (const result of [reschedule(T0 + DAY, { effects: [say()] }), finish([say()])]) {
        const run = anAsleepRun();
        const told = run.beginTick(T0);
        assert.ok(told);
        run.pause({ actor: 'ana' });
        assert.equal(run.isInterrupted(), false);
        run.ticked(outcome(result), told, T0);
        const [effect] = run.data.effects;
        assert.ok(effect);
        assert.equal(run.nextStep(T0).do, 'wait');
        assert.equal(run.permit({ key: effect.key, attachment: ATTACHMENT }).reason, 'paused');
        run.resume({}, T0 + HOUR, 0);
        assert.equal(beginNext(run, T0 + HOUR).key, effect.key);
      }
    });

    it('goes on with an effect that was refused for a pause that is over by then', () => {
      const run = anAsleepRun();
      wakeUp(run, T0, outcome(reschedule(T0 + DAY, { effects: [say()] })));
      const { key } = beginNext(run, T0);
      run.pause({ actor: 'ana' });
      run.resume({}, T0 + 1, 0);
      run.performed(key, { result: 'parked', reason: 'paused', dueAt: null }, T0 + 2);
      assert.equal(beginNext(run, T0 + 2).key, key);
    });

    it('keeps a snooze that came while it was thinking, and says who asked', () => {
      const run = anAsleepRun();
      const told = run.beginTick(T0);
      assert.ok(told);
      run.snooze({ actor: 'ana', until: iso(T0 + 9 * HOUR) });
      run.ticked(outcome(reschedule(T0 + HOUR)), told, T0);
      assert.deepEqual(run.nextStep(T0), { do: 'wait', until: T0 + 9 * HOUR });
      assert.match(run.data.nextRunWhy, /ana/);
    });

    it('is woken by an operator at once', () => {
      const run = anAsleepRun();
      run.wakeNow('ana');
      assert.deepEqual(run.nextStep(T0), { do: 'tick', why: 'operator' });
      wakeUp(run, T0, outcome(reschedule(null)));
      assert.deepEqual(run.nextStep(T0), { do: 'wait', until: T0 + HOUR });
    });

    it('acts on takeover while paused', () => {
      const run = anAsleepRun();
      run.pause({ actor: 'ana' });
      takeOver(run, T0);
      assert.deepEqual([run.data.end?.reason, run.isLive()], ['taken_over', false]);
    });
  });

  it('carries everything through a roll-over', () => {
    const run = anAsleepRun();
    wakeUp(
      run,
      T0,
      outcome(reschedule(T0 + HOUR, { state: { n: 1 }, effects: [say(), say('x', { proactive: true })] })),
    );
    run.eventArrived(inbound(1, { type: 'contact.updated' }), T0);
    run.pause({ actor: 'ana', until: iso(T0 + HOUR) });
    const next = rolledOver(run);
    assert.deepEqual(next.data, run.data);
    assert.deepEqual(next.nextStep(T0), run.nextStep(T0));
    next.eventArrived(inbound(1), T0 + 1);
    assert.equal(next.data.queue.length, 1);
  });
});
