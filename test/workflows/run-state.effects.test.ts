import assert from 'node:assert/strict';
import type { EffectKey } from '../../src/domain/ids.ts';
import { EFFECTS_LIMIT } from '../../src/workflows/run-data.ts';
import {
  anAsleepRun,
  beginNext,
  CLOSE,
  endOf,
  finish,
  HAND_OFF,
  inbound,
  iso,
  NOTE,
  outcome,
  reschedule,
  say,
  T0,
  wakeUp,
} from '../support/run-parts.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('a run and what it has decided', () => {
  describe('effects', () => {
    it('run in order within a tick; a parked one holds back its own tick only, and the loop goes on', () => {
      const run = anAsleepRun();
      wakeUp(run, T0, outcome(reschedule(T0 + HOUR, { effects: [say('1a'), say('1b')] })));
      const first = beginNext(run, T0);
      run.performed(first.key, { result: 'parked', reason: 'quiet_hours', dueAt: iso(T0 + 2 * HOUR) }, T0);
      assert.deepEqual(run.nextStep(T0), { do: 'wait', until: T0 + HOUR });
      wakeUp(run, T0 + HOUR, outcome(reschedule(T0 + DAY, { effects: [say('2a')] })));
      assert.equal(beginNext(run, T0 + HOUR).tick, 2);
      run.performed(run.data.effects.at(-1)?.key ?? first.key, { result: 'done' }, T0 + HOUR);
      assert.equal(beginNext(run, T0 + 2 * HOUR).key, first.key);
    });

    it('does not hold a hand-off back for a message that does not get through, and gives that up for it', () => {
      const run = anAsleepRun();
      wakeUp(run, T0, outcome(finish([say('a colleague'), HAND_OFF])));
      const message = beginNext(run, T0);
      run.performed(message.key, { result: 'parked', reason: 'rate_limited', dueAt: iso(T0 + 15_000) }, T0);
      assert.deepEqual(run.nextStep(T0), { do: 'wait', until: T0 + 15_000 });
      assert.equal(beginNext(run, T0 + 15_000).key, message.key);
      run.performed(message.key, { result: 'parked', reason: '401', dueAt: iso(T0 + HOUR) }, T0 + 15_000);
      const handOff = beginNext(run, T0 + 15_000);
      assert.deepEqual(handOff.effect, HAND_OFF);
      run.performed(handOff.key, { result: 'done' }, T0 + 16_000);
      assert.deepEqual(
        [run.isLive(), run.data.cancelled],
        [false, [{ key: message.key, reason: 'went_ahead', failed: true, effect: say('a colleague') }]],
      );
    });

    it('keeps the order of what goes ahead, and gives up only the messages before it', () => {
      const run = anAsleepRun();
      wakeUp(run, T0, outcome(finish([say('before'), HAND_OFF, say('after'), CLOSE])));
      const park = (key: EffectKey, dueAt: number) =>
        run.performed(key, { result: 'parked', reason: 'outage', dueAt: iso(dueAt) }, T0);
      park(beginNext(run, T0).key, T0 + HOUR);
      park(beginNext(run, T0).key, T0 + 15_000);
      assert.deepEqual(run.nextStep(T0), { do: 'wait', until: T0 + 15_000 });
      const handOff = beginNext(run, T0 + 15_000);
      run.performed(handOff.key, { result: 'done' }, T0 + 15_000);
      assert.deepEqual(
        run.data.cancelled.map(({ reason, effect }) => [reason, effect]),
        [['went_ahead', say('before')]],
      );
      assert.deepEqual(
        [handOff.effect, ...run.data.effects.map(({ effect }) => effect)],
        [HAND_OFF, say('after'), CLOSE],
      );
    });

    it('tells the next tick, once, what failed for good, and counts no failed wake-up', () => {
      const run = anAsleepRun();
      wakeUp(run, T0, outcome(reschedule(T0 + HOUR, { effects: [say()] })));
      const { key } = beginNext(run, T0);
      run.performed(key, { result: 'failed', reason: 'permanent: 131026' }, T0);
      const told = run.beginTick(T0 + HOUR);
      assert.deepEqual(told?.failedEffects, [{ key, kind: 'message.send', reason: 'permanent: 131026' }]);
      run.ticked(outcome(reschedule(T0 + DAY)), told, T0 + HOUR);
      assert.deepEqual([run.data.failedEffects, run.data.failures], [[], 0]);
    });

    it('lets a customer’s message take back proactive sends also where it wakes nobody', () => {
      const run = anAsleepRun({ wakeOn: ['custom.*'] });
      wakeUp(run, T0, outcome(reschedule(T0 + HOUR, { effects: [say('idea', { proactive: true })] })));
      run.eventArrived(inbound(1), T0 + 1);
      assert.deepEqual([run.data.effects, run.data.burst], [[], null]);
    });

    it('lets a customer’s message take back proactive sends, and a tick what it names', () => {
      const run = anAsleepRun();
      const effects = [NOTE, say('answer'), say('idea', { proactive: true })];
      wakeUp(run, T0, outcome(reschedule(T0 + HOUR, { effects })));
      const [note, answer, idea] = run.data.effects.map(({ key }) => key);
      assert.ok(note !== undefined && answer !== undefined && idea !== undefined);
      run.eventArrived(inbound(1), T0 + 1);
      assert.deepEqual(
        run.data.effects.map(({ key }) => key),
        [note, answer],
      );
      wakeUp(run, T0 + 9_000, outcome(reschedule(null, { cancel: [answer] })));
      assert.deepEqual(
        run.data.effects.map(({ key }) => key),
        [note],
      );
      assert.deepEqual(run.data.cancelled, [{ key: answer, reason: 'taken_back' }]);
    });

    it('ends by message_cap before a message too many, those under way counted', () => {
      const run = anAsleepRun({ policy: { maxMessages: 2 } });
      wakeUp(run, T0, outcome(reschedule(T0 + HOUR, { effects: [say(), say()] })));
      assert.equal(endOf(run), undefined);
      wakeUp(run, T0 + HOUR, outcome(reschedule(T0 + DAY, { effects: [say()] })));
      assert.deepEqual([run.data.end?.reason, run.data.effects], ['message_cap', []]);
    });

    it('ends by tick_cap instead of a tick too many', () => {
      const run = anAsleepRun({ policy: { maxTicks: 1 } });
      wakeUp(run, T0, outcome(reschedule(T0 + HOUR)));
      assert.equal(run.beginTick(T0 + HOUR), null);
      assert.equal(endOf(run), 'tick_cap');
    });

    it('refuses what goes beyond the unfinished effects it can carry, and says so', () => {
      const run = anAsleepRun();
      for (let at = T0; run.data.effects.length < EFFECTS_LIMIT; at += HOUR)
        wakeUp(run, at, outcome(reschedule(at + HOUR, { effects: Array.from({ length: 20 }, () => NOTE) })));
      wakeUp(run, T0 + DAY, outcome(reschedule(T0 + 2 * DAY, { effects: [NOTE] })));
      assert.equal(run.data.effects.length, EFFECTS_LIMIT);
      assert.deepEqual(
        run.data.failedEffects.map(({ reason }) => reason),
        ['too_many_pending'],
      );
    });

    it('ends as unreachable_contact when the person cannot be reached', () => {
      const run = anAsleepRun();
      wakeUp(run, T0, outcome(reschedule(T0 + HOUR, { effects: [say(), say()] })));
      run.performed(beginNext(run, T0).key, { result: 'unreachable', reason: 'no such user' }, T0);
      assert.deepEqual([run.data.end?.reason, run.isLive()], ['unreachable_contact', false]);
    });
  });
});
