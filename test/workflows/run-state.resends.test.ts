import assert from 'node:assert/strict';
import type { EffectKey } from '../../src/domain/ids.ts';
import type { Effect } from '../../src/domain/schemas/effects.ts';
import { RunState } from '../../src/workflows/run-state.ts';
import {
  anAsleepRun,
  ATTACHMENT,
  beginNext,
  finish,
  HAND_OFF,
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

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('a message that was taken and not brought, for a trouble that passes', () => {
  let reports = 0;
  /** Reported as failed, by a status that was not heard before. */
  const report = (run: RunState, key: EffectKey, now: number, { effect = say(), sentAt = T0, seq = 0 } = {}) => {
    const nth = seq === 0 ? 1_000 + (reports += 1) : seq;
    const told = { id: `e${nth}`, seq: nth, attachment: ATTACHMENT, key, reason: 'outage: 131000', unreachable: false };
    run.undelivered({ ...told, again: { effect, sentAt: iso(sentAt) } }, now);
  };
  /** Awake for a day, with these effects done. */
  const having = (effects: readonly Effect[], policy = {}) => {
    const run = anAsleepRun({ policy });
    wakeUp(run, T0, outcome(reschedule(T0 + DAY, { effects })));
    const keys = effects.map(() => {
      const { key } = beginNext(run, T0);
      run.performed(key, { result: 'done' }, T0);
      return key;
    });
    return { run, keys, key: keys[0] ?? assert.fail() };
  };
  const sendNext = (run: RunState, now: number) => {
    const { key } = beginNext(run, now);
    run.performed(key, { result: 'done' }, now);
    return key;
  };

  it('goes out again under a key of its own, after a wait that grows, three times in all, and is told then', () => {
    const { run, key } = having([say()]);
    report(run, key, T0);
    assert.deepEqual(run.nextStep(T0), { do: 'wait', until: T0 + MINUTE });
    const [waiting] = run.data.effects;
    assert.deepEqual([waiting?.effect, waiting?.reason, run.data.failedEffects], [say(), 'undelivered', []]);
    const second = sendNext(run, T0 + MINUTE);
    report(run, second, T0 + MINUTE);
    assert.deepEqual(run.nextStep(T0 + MINUTE), { do: 'wait', until: T0 + 5 * MINUTE });
    const third = sendNext(run, T0 + 5 * MINUTE);
    assert.deepEqual([second, third], [`${key}.1`, `${key}.2`]);
    report(run, third, T0 + 6 * MINUTE);
    assert.deepEqual(run.nextStep(T0 + 6 * MINUTE), { do: 'wait', until: T0 + DAY });
    assert.deepEqual(run.data.failedEffects, [{ key: third, kind: 'message.send', reason: 'outage: 131000' }]);
    assert.equal(run.data.messagesSent, 1, 'it is one message');
  });

  it('goes out once more however often it is reported: before, while and after it does, over a roll-over too', () => {
    const of = having([say()]);
    report(of.run, of.key, T0, { seq: 7 });
    report(of.run, of.key, T0, { seq: 7 });
    report(of.run, of.key, T0);
    const run = rolledOver(of.run);
    const { key } = beginNext(run, T0 + MINUTE);
    report(run, of.key, T0 + MINUTE);
    run.performed(key, { result: 'done' }, T0 + MINUTE);
    report(run, of.key, T0 + MINUTE);
    assert.deepEqual([run.data.effects, run.data.failedEffects], [[], []]);
  });

  it('goes out alone of a message in parts, before those that are still to come', () => {
    const run = anAsleepRun();
    const parts = ['one', 'two', 'three'].map((text) => say(text));
    wakeUp(run, T0, outcome(reschedule(T0 + DAY, { effects: parts })));
    const first = sendNext(run, T0);
    const second = beginNext(run, T0);
    report(run, first, T0, { effect: say('one') });
    run.performed(second.key, { result: 'done' }, T0);
    assert.deepEqual(run.nextStep(T0), { do: 'wait', until: T0 + MINUTE });
    const order = [];
    for (const now of [T0 + MINUTE, T0 + MINUTE]) {
      order.push(beginNext(run, now).effect);
      run.performed(run.data.effects[0]?.key ?? first, { result: 'done' }, now);
    }
    assert.deepEqual([order, run.data.effects], [[say('one'), say('three')], []]);
  });

  it('keeps the order of a message in parts of which several were lost, in whatever order that is told', () => {
    for (const told of [
      [0, 1, 2],
      [2, 0, 1],
    ]) {
      const { run, keys } = having(['one', 'two', 'three'].map((text) => say(text)));
      for (const n of told) report(run, keys[n] ?? assert.fail(), T0);
      assert.deepEqual(
        run.data.effects.map(({ key }) => key),
        keys.map((key) => `${key}.1`),
      );
    }
  });

  it('waits for its own perform, where the report is faster than the answer', () => {
    const run = anAsleepRun();
    wakeUp(run, T0, outcome(reschedule(T0 + DAY, { effects: [say('one'), say('two')] })));
    const { key } = beginNext(run, T0);
    report(run, key, T0, { effect: say('one') });
    run.performed(key, { result: 'parked', reason: 'ambiguous', dueAt: iso(T0 + 2 * MINUTE) }, T0);
    assert.deepEqual(
      run.data.effects.map((effect) => effect.key),
      [key, `${key}.1`, `${key.slice(0, -1)}1`],
    );
    assert.deepEqual(run.nextStep(T0), { do: 'wait', until: T0 + 2 * MINUTE });
  });

  it('does not keep a hand-off waiting for long, and is given up for it', () => {
    const run = anAsleepRun();
    wakeUp(run, T0, outcome(reschedule(T0 + DAY, { effects: [say('a colleague'), HAND_OFF] })));
    const key = sendNext(run, T0);
    const { key: handOff } = beginNext(run, T0);
    run.performed(handOff, { result: 'parked', reason: 'outage', dueAt: iso(T0 + MINUTE) }, T0);
    report(run, key, T0);
    const again = sendNext(run, T0 + MINUTE);
    report(run, again, T0 + MINUTE);
    assert.equal(sendNext(run, T0 + MINUTE), handOff);
    assert.deepEqual([run.data.effects, run.data.failedEffects.map(({ reason }) => reason)], [[], ['went_ahead']]);
  });

  it('stays unsent, and is told as ever, where the run has ended, is paused, or has tried it for a day', () => {
    const told = (prepare: (run: RunState) => void, now = T0, effect = say()) => {
      const { run, key } = having([effect]);
      prepare(run);
      report(run, key, now, { effect });
      return [run.data.effects, run.data.failedEffects.map(({ reason }) => reason)];
    };
    const asToday = [[], ['outage: 131000']];
    assert.deepEqual(
      told((run) => takeOver(run, T0)),
      asToday,
    );
    assert.deepEqual(
      told((run) => run.pause({ actor: 'ana' })),
      asToday,
    );
    assert.deepEqual(
      told(() => undefined, T0 + DAY),
      asToday,
    );
    // An idea of our own that a customer has overtaken; what came before it was decided overtakes nothing.
    const idea = say('idea', { proactive: true });
    assert.deepEqual(
      told((run) => run.eventArrived(inbound(1), T0), T0, idea),
      asToday,
    );
    const { run, key } = having([idea]);
    wakeUp(run, T0 + 1, outcome(reschedule(T0 + DAY)));
    report(run, key, T0 + 1, { effect: idea });
    assert.equal(run.data.effects.length, 1);
  });

  it('is overtaken while it waits as anything that is held back: by a takeover, an end, and, as an idea of our own, by the customer', () => {
    const idea = say('idea', { proactive: true });
    const left = (effect: Effect, happens: (run: RunState) => void) => {
      const { run, key } = having([effect]);
      report(run, key, T0, { effect });
      happens(run);
      const permit = run.permit({ key: `${key}.1` as EffectKey, attachment: ATTACHMENT });
      return [run.data.effects.length, permit.permitted];
    };
    const customer = (run: RunState) => run.eventArrived(inbound(1), T0 + 1);
    assert.deepEqual(left(idea, customer), [0, false]);
    assert.deepEqual(left(say(), customer), [1, true]);
    assert.deepEqual(
      left(say(), (run) => takeOver(run, T0 + 1)),
      [0, false],
    );
    assert.deepEqual(
      left(say(), (run) => run.detached({ at: iso(T0 + 1), actor: 'ana' }, T0 + 1)),
      [0, false],
    );
    const ends = (run: RunState) => wakeUp(run, T0 + 1, outcome(finish()));
    assert.deepEqual(left(say(), ends), [0, false]);
  });

  it('stays unsent where it was taken back, or told as failed, while nobody knew whether it had gone out', () => {
    const inDoubt = (ends: (run: RunState, key: EffectKey) => void) => {
      const run = anAsleepRun();
      wakeUp(run, T0, outcome(reschedule(T0 + DAY, { effects: [say()] })));
      const { key } = beginNext(run, T0);
      run.performed(key, { result: 'parked', reason: 'ambiguous', dueAt: iso(T0 + MINUTE) }, T0);
      ends(run, key);
      const told = run.data.failedEffects.length;
      report(run, key, T0 + HOUR);
      return [run.data.effects.length, run.data.failedEffects.length - told];
    };
    const thinksAgain = (run: RunState, key: EffectKey) =>
      wakeUp(run, T0 + 1, outcome(reschedule(T0 + DAY, { cancel: [key] })));
    assert.deepEqual(inDoubt(thinksAgain), [0, 0]);
    const fails = (run: RunState, key: EffectKey) =>
      run.performed(key, { result: 'failed', reason: 'unknown_fate' }, T0);
    assert.deepEqual(inDoubt(fails), [0, 0]);
  });

  it('is no further message for the cap on them, and no failure where it had arrived after all', () => {
    const { run, key } = having([say()], { maxMessages: 2 });
    report(run, key, T0);
    wakeUp(run, T0, outcome(reschedule(T0 + DAY, { effects: [say('another')] })));
    assert.equal(run.data.end, null);
    const again = beginNext(run, T0 + MINUTE);
    assert.equal(again.key, `${key}.1`);
    run.performed(again.key, { result: 'refused', reason: 'arrived' }, T0 + MINUTE);
    sendNext(run, T0 + MINUTE);
    assert.deepEqual([run.data.effects, run.data.failedEffects, run.data.messagesSent], [[], [], 2]);
  });

  it('is told as it was by a history of before', () => {
    const { run, key } = having([say()]);
    const before = new RunState(run.data, run.workflowId, (change) => change !== 'undelivered-goes-again');
    report(before, key, T0);
    assert.deepEqual([before.data.effects, before.data.failedEffects.length], [[], 1]);
  });
});
