import assert from 'node:assert/strict';
import type { AttachmentId, EffectKey } from '../../src/domain/ids.ts';
import { giveBack } from '../../src/workflows/run-queue.ts';
import type { RunState } from '../../src/workflows/run-state.ts';
import {
  anAsleepRun,
  aRun,
  ATTACHMENT,
  beginNext,
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
  takeOver,
  wakeUp,
} from '../support/run-parts.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function permits(run: RunState, key: EffectKey): boolean {
  return run.permit({ key, attachment: ATTACHMENT }).permitted;
}

describe('a run, ending', () => {
  describe('takeover and detach', () => {
    it('permits what is unfinished, and nothing after a takeover', () => {
      const run = anAsleepRun();
      wakeUp(run, T0, outcome(reschedule(T0 + DAY, { effects: [say('a'), say('b')] })));
      const [a, b] = run.data.effects.map(({ key }) => key);
      assert.ok(a !== undefined && b !== undefined);
      beginNext(run, T0);
      assert.ok(permits(run, a) && permits(run, b));
      assert.equal(run.permit({ key: a, attachment: 'other' as AttachmentId }).reason, 'other_attachment');
      run.performed(a, { result: 'done' }, T0);
      assert.equal(permits(run, a), false);
      takeOver(run, T0);
      assert.equal(permits(run, b), false);
      assert.deepEqual([run.data.end?.reason, run.isLive()], ['taken_over', false]);
    });

    it('interrupts a tick and throws its result away', () => {
      const run = anAsleepRun();
      const told = run.beginTick(T0);
      assert.ok(told);
      run.detached({ at: iso(T0), actor: 'ana' }, T0);
      assert.equal(run.isInterrupted(), true);
      run.ticked(outcome(reschedule(T0 + DAY, { effects: [say()] })), told, T0);
      assert.deepEqual([run.data.effects, run.data.end?.status], [[], 'REMOVED_BY_USER']);
    });

    it('takes what is meant for an earlier attachment for stale, but for a second the provider rounded down', () => {
      const run = anAsleepRun();
      takeOver(run, T0 - 1);
      run.detached({ at: iso(T0 + 5), actor: 'ana', attachment: 'earlier' as AttachmentId }, T0 + 5);
      assert.equal(endOf(run), undefined);
      const late = aRun();
      Object.assign(late.data, { attachedAt: iso(T0 + 400) });
      late.humanTookOver({ cause: 'taken_over', at: iso(T0), actor: 'ana', explicit: true }, T0 + 500);
      assert.equal(endOf(late), 'taken_over');
    });

    it('takes a time that cannot be read for no earlier one: the stop is heard', () => {
      const run = anAsleepRun();
      run.detached({ at: '30/11/2026 10:00', actor: 'ana' }, T0);
      assert.equal(endOf(run), 'detached');
    });

    it('ends, pauses or goes on when a human replies, as its policy says', () => {
      const reply = { cause: 'human_replied', at: iso(T0), actor: 'ana' } as const;
      const results = (['end', 'pause', 'ignore'] as const).map((onHumanMessage) => {
        const run = anAsleepRun({ policy: { onHumanMessage } });
        run.humanTookOver(reply, T0);
        return run.data.end?.reason ?? (run.data.paused === null ? 'goes on' : 'paused');
      });
      assert.deepEqual(results, ['human_replied', 'paused', 'goes on']);
      const ignoring = anAsleepRun({ policy: { onHumanMessage: 'ignore' } });
      ignoring.humanTookOver({ ...reply, explicit: true }, T0);
      assert.equal(endOf(ignoring), 'human_replied');
    });

    it('judges a human who replied before prepare had told what the agent makes of that', () => {
      const run = aRun();
      run.beginPrepare();
      run.humanTookOver({ cause: 'human_replied', at: iso(T0), actor: 'ana' }, T0);
      assert.equal(endOf(run), undefined);
      const { agent } = anAsleepRun().data;
      assert.ok(agent);
      const plan = { nextRunAt: iso(T0), nextRunWhy: 'first run' };
      run.prepared({ result: 'ready', agent, state: {}, ...plan, events: [] }, T0 + 5);
      assert.equal(endOf(run), 'human_replied');
    });

    it('ends at once when the customer opts out, thinking or paused', () => {
      const run = anAsleepRun();
      run.pause({ actor: 'ana' });
      run.eventArrived(inbound(1, { optOut: true }), T0);
      assert.deepEqual([run.data.end?.status, run.data.end?.reason], ['EXITED_ON_INBOUND', 'opted_out']);
    });
  });

  describe('an end', () => {
    it('finishes its own effects first and takes back what was parked before', () => {
      const run = anAsleepRun();
      wakeUp(run, T0, outcome(reschedule(T0 + HOUR, { effects: [say('old')] })));
      wakeUp(run, T0 + HOUR, outcome(finish([say('bye'), NOTE])));
      assert.equal(run.data.effects.length, 2);
      assert.equal(run.isLive(), true);
      for (let n = 0; n < 2; n += 1) run.performed(beginNext(run, T0 + HOUR).key, { result: 'done' }, T0 + HOUR);
      assert.deepEqual([run.isLive(), run.data.end?.status], [false, 'COMPLETED']);
    });

    it('becomes EXITED_ON_OUTBOUND by a takeover before the last effect has started, and not after', () => {
      const before = anAsleepRun();
      wakeUp(before, T0, outcome(finish([say(), NOTE])));
      beginNext(before, T0);
      takeOver(before, T0 + 1);
      assert.deepEqual([before.data.end?.status, before.isLive()], ['EXITED_ON_OUTBOUND', false]);
      const after = anAsleepRun();
      wakeUp(after, T0, outcome(finish([say()])));
      const { key } = beginNext(after, T0);
      takeOver(after, T0 + 1);
      assert.deepEqual([endOf(after), after.isLive()], ['goal_reached', false]);
      assert.deepEqual([after.isInterrupted(), permits(after, key)], [true, false]);
      after.performed(key, { result: 'parked', reason: 'retrying', dueAt: iso(T0 + HOUR) }, T0 + 2);
      assert.deepEqual([after.isLive(), permits(after, key)], [false, false]);
    });

    it('stands as decided, but nothing of it goes out any more, once a person stops what was held back', () => {
      const idle = (stop: (run: RunState) => void) => {
        const run = anAsleepRun();
        wakeUp(run, T0, outcome(finish([say('tomorrow?', { proactive: true })])));
        const { key } = beginNext(run, T0);
        run.performed(key, { result: 'parked', reason: 'quiet_hours', dueAt: iso(T0 + 8 * HOUR) }, T0);
        stop(run);
        assert.equal(permits(run, key), false);
        return [endOf(run), run.isLive(), run.data.heldBy?.actor];
      };
      const detach = (run: RunState) => run.detached({ at: iso(T0 + 1), actor: 'ana' }, T0 + 1);
      assert.deepEqual(idle(detach), ['goal_reached', false, undefined]);
      assert.deepEqual(
        idle((run) => takeOver(run, T0 + 1)),
        ['goal_reached', false, 'ana'],
      );
    });

    it('closes for a customer who writes when nothing but messages held back is left, and hands them on', () => {
      const run = anAsleepRun();
      wakeUp(run, T0, outcome(finish([say('bye'), NOTE, say('idea', { proactive: true })])));
      const bye = beginNext(run, T0);
      run.performed(bye.key, { result: 'parked', reason: 'no_contact', dueAt: iso(T0 + HOUR) }, T0);
      run.eventArrived(inbound(1), T0 + 1);
      assert.deepEqual(
        run.data.effects.map(({ effect }) => effect.kind),
        ['message.send', 'note.add'],
      );
      run.performed(beginNext(run, T0 + HOUR).key, { result: 'done' }, T0 + HOUR);
      run.performed(beginNext(run, T0 + HOUR).key, { result: 'done' }, T0 + HOUR);
      assert.equal(run.isLive(), false);
      const idle = anAsleepRun();
      wakeUp(idle, T0, outcome(finish([say('bye')])));
      idle.performed(beginNext(idle, T0).key, { result: 'parked', reason: 'outage', dueAt: iso(T0 + HOUR) }, T0);
      idle.pause({ actor: 'ana' });
      idle.eventArrived(inbound(1), T0 + 1);
      assert.equal(idle.isLive(), true);
      idle.resume({}, T0 + 2, 0);
      assert.deepEqual([endOf(idle), giveBack(idle.data).map(({ id }) => id)], ['goal_reached', ['e1']]);
    });

    it('says what waits but a moment to a customer who writes, and closes once it would take longer', () => {
      const run = anAsleepRun({ policy: { onOvertaken: 'send' } });
      const told = run.beginTick(T0);
      assert.ok(told);
      run.eventArrived(inbound(1), T0);
      run.ticked(outcome(finish([say('bye')])), told, T0);
      const bye = beginNext(run, T0);
      run.performed(bye.key, { result: 'parked', reason: 'rate_limited', dueAt: iso(T0 + 15_000) }, T0);
      run.eventArrived(inbound(2), T0 + 1);
      assert.equal(beginNext(run, T0 + 15_000).key, bye.key);
      run.performed(bye.key, { result: 'parked', reason: 'rate_limited', dueAt: iso(T0 + 120_001) }, T0 + 15_000);
      assert.equal(run.isLive(), false);
    });

    it('sends nothing more to somebody who opts out while it hands over', () => {
      const run = anAsleepRun();
      wakeUp(run, T0, outcome(finish([say('a colleague'), HAND_OFF])));
      run.eventArrived(inbound(1, { optOut: true }), T0 + 1);
      assert.deepEqual(
        run.data.effects.map(({ effect }) => effect),
        [HAND_OFF],
      );
    });

    it('is decided once: later acts change nothing', () => {
      const run = anAsleepRun();
      takeOver(run, T0);
      run.detached({ at: iso(T0 + 1), actor: 'bob' }, T0 + 1);
      run.eventArrived(inbound(1, { optOut: true }), T0 + 2);
      run.pause({ actor: 'bob' });
      assert.deepEqual([run.data.end?.reason, run.data.end?.actor, run.data.paused], ['taken_over', 'ana', null]);
    });

    it('waits a day for its effects, then gives them up', () => {
      const run = anAsleepRun();
      wakeUp(run, T0, outcome(finish([say('late'), say('never tried')])));
      const [late, never] = run.data.effects.map(({ key }) => key);
      run.performed(beginNext(run, T0).key, { result: 'parked', reason: 'no_contact', dueAt: iso(T0 + 3 * DAY) }, T0);
      assert.deepEqual(run.nextStep(T0), { do: 'wait', until: T0 + DAY });
      assert.equal(run.nextStep(T0 + DAY).do, 'finish');
      run.giveUpEnding();
      const failed = { reason: 'ending_timed_out', failed: true };
      assert.deepEqual(
        [run.isLive(), run.data.cancelled],
        [
          false,
          [
            { ...failed, key: late, effect: say('late') },
            { ...failed, key: never, effect: say('never tried') },
          ],
        ],
      );
    });

    it('gives up what is held back after a day, and does what only stood behind it', () => {
      const run = anAsleepRun();
      wakeUp(run, T0, outcome(finish([NOTE, say('late'), NOTE, NOTE])));
      const head = beginNext(run, T0);
      run.performed(head.key, { result: 'parked', reason: 'retrying', dueAt: iso(T0 + 30 * HOUR) }, T0);
      assert.equal(run.nextStep(T0 + DAY).do, 'finish');
      run.giveUpEnding();
      run.performed(beginNext(run, T0 + DAY).key, { result: 'done' }, T0 + DAY);
      const last = beginNext(run, T0 + DAY);
      run.performed(last.key, { result: 'parked', reason: 'retrying', dueAt: iso(T0 + 30 * HOUR) }, T0 + DAY);
      assert.equal(run.nextStep(T0 + DAY).do, 'finish');
      run.giveUpEnding();
      assert.deepEqual([run.isLive(), run.data.cancelled.map(({ failed }) => failed)], [false, [true, true, true]]);
    });

    it('gives back again what is brought to it once more, before it has closed', () => {
      const run = anAsleepRun();
      run.eventArrived(inbound(1), T0);
      run.detached({ at: iso(T0), actor: 'ana' }, T0);
      const idsOf = () => giveBack(run.data).map(({ id }) => id);
      assert.deepEqual(idsOf(), ['e1']);
      run.eventArrived(inbound(1), T0);
      assert.deepEqual([idsOf(), idsOf()], [['e1'], []]);
    });

    it('keeps what was not consumed, also what comes later', () => {
      const run = anAsleepRun();
      run.eventArrived(inbound(1), T0);
      takeOver(run, T0);
      run.eventArrived(inbound(2), T0 + 1);
      assert.deepEqual(
        run.data.queue.map(({ id }) => id),
        ['e1', 'e2'],
      );
    });
  });
});
