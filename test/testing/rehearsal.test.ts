import assert from 'node:assert/strict';
import { z } from 'zod';
import { defineAgent, type Tick } from '../../src/agents/define-agent.ts';
import { close, note, say } from '../../src/agents/effects.ts';
import { finish, reschedule } from '../../src/agents/outcomes.ts';
import { InvalidInputError, InvalidOutcomeError } from '../../src/domain/errors.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Outcome } from '../../src/domain/outcomes.ts';
import { rehearse, type Rehearsal, type RehearsalOptions } from '../../src/testing.ts';

const NOON = '2026-06-02T12:00:00.000Z';
type AnyTick = Tick<JsonObject, JsonObject>;

function rehearsed(
  tick: (tick: AnyTick) => Outcome | Promise<Outcome>,
  more: Partial<RehearsalOptions> = {},
): Promise<Rehearsal> {
  const agent = defineAgent({
    key: 'tried',
    version: 1,
    title: 'Tried',
    answers: true,
    attachesTo: 'conversation',
    config: z.strictObject({ greeting: z.string().default('hello') }),
    state: z.looseObject({}),
    initialState: () => ({}),
    wakeOn: ['message.inbound'],
    tick: (given) => tick(given as unknown as AnyTick),
  });
  return rehearse(agent, { at: NOON, ...more });
}

describe('a rehearsal', () => {
  it('runs what is due while time passes, at the very instants', async () => {
    const times: string[] = [];
    const run = await rehearsed(({ now, state }) => {
      times.push(now);
      return reschedule({ in: '6h', state });
    });
    await run.advance('13h');
    assert.deepEqual(times, [NOON, '2026-06-02T18:00:00.000Z', '2026-06-03T00:00:00.000Z']);
    assert.equal(run.clock, '2026-06-03T01:00:00.000Z');
    assert.equal(run.run.nextRunAt, '2026-06-03T06:00:00.000Z');
  });

  it('makes one wake-up of a burst', async () => {
    const heard: number[] = [];
    const run = await rehearsed(({ events, state }) => {
      heard.push(events.length);
      return reschedule({ in: '6h', state });
    });
    await run.customer.says('a', 'b', 'c');
    assert.deepEqual(heard, [0, 3]);
  });

  it('keeps the due time of a run that an event woke', async () => {
    const run = await rehearsed(({ why, state }) =>
      why === 'event' ? reschedule({ keep: true, state }) : reschedule({ in: '6h', state }),
    );
    const due = run.run.nextRunAt;
    await run.customer.says('hello');
    assert.equal(run.run.nextRunAt, due);
  });

  it('fails at the first outcome that breaks a rule', async () => {
    await assert.rejects(
      rehearsed(() => ({ kind: 'reschedule' }) as unknown as Outcome),
      InvalidOutcomeError,
    );
    await assert.rejects(
      rehearsed(({ state }) => reschedule({ keep: true, state })),
      InvalidOutcomeError,
    );
  });

  it('refuses a config the agent refuses, and whatever else does not fit, all at once', async () => {
    await assert.rejects(
      rehearsed(({ state }) => reschedule({ in: '1h', state }), {
        at: 'tomorrow',
        config: { greeting: 7 },
        contact: { timeZone: 'Mars' },
      }),
      (error: unknown) => {
        assert.ok(error instanceof InvalidInputError);
        assert.deepEqual(
          error.problems.map(({ path }) => path),
          ['at', 'config.greeting', 'contact.timeZone'],
        );
        return true;
      },
    );
  });

  it('holds a proactive message back at night, shows it, and lets the customer’s message take it back', async () => {
    const seen: unknown[] = [];
    const night = (tick: AnyTick): Outcome => {
      seen.push(tick.pendingEffects.map(({ reason, dueAt }) => [reason, dueAt]));
      return reschedule({
        in: '1h',
        state: tick.state,
        effects: tick.tick === 1 ? [say('psst', { proactive: true })] : [],
      });
    };
    const slept = await rehearsed(night, { at: '2026-06-02T22:30:00.000Z' });
    const held = slept.waiting.map(({ reason, dueAt }) => [reason, dueAt]);
    await slept.advance('10h');
    assert.deepEqual(seen[1], [['quiet_hours', '2026-06-03T08:00:00.000Z']]);
    assert.deepEqual(held, seen[1]);
    assert.deepEqual(slept.waiting, []);
    assert.deepEqual(
      slept.sent.map(({ at }) => at),
      ['2026-06-03T08:00:00.000Z'],
    );
    const woken = await rehearsed(night, { at: '2026-06-02T22:30:00.000Z' });
    await woken.customer.says('hello');
    await woken.advance('10h');
    assert.equal(woken.sent.length, 0);
  });

  it('tells the next tick, once, of a message that will never go out', async () => {
    const told: unknown[] = [];
    const run = await rehearsed(
      ({ failedEffects, state, tick }) => {
        told.push(failedEffects.map(({ reason }) => reason));
        return reschedule({ in: '25h', state, effects: tick === 2 ? [say('late')] : [] });
      },
      { hasServiceWindow: true, unanswered: ['hello'] },
    );
    await run.advance('80h');
    assert.deepEqual(told, [[], [], ['window_closed'], []]);
    assert.deepEqual(
      run.refused.map(({ reason }) => reason),
      ['window_closed'],
    );
  });

  it('shows the transcript, and the effects that are no messages', async () => {
    let lines: unknown = null;
    const run = await rehearsed(async ({ conversation, state, tick }) => {
      lines = (await conversation?.messages())?.map(({ direction, text }) => [direction, text]);
      if (tick === 1) return reschedule({ in: '1h', state, effects: [say('who is there?')] });
      return finish({ status: 'COMPLETED', reason: 'goal_reached', state, effects: [note('done'), close()] });
    });
    await run.customer.says('me');
    assert.deepEqual(lines, [
      ['out', 'who is there?'],
      ['in', 'me'],
    ]);
    assert.deepEqual(
      run.done.map(({ kind }) => kind),
      ['note.add', 'conversation.close'],
    );
    assert.deepEqual([run.run.status, run.run.nextRunAt], ['COMPLETED', null]);
  });

  it('tells any other event, which wakes an agent that waits for it and else waits for the next tick', async () => {
    const heard: string[][] = [];
    const agent = defineAgent({
      key: 'watcher',
      version: 1,
      title: 'Watcher',
      answers: false,
      attachesTo: 'business',
      config: z.strictObject({}),
      state: z.looseObject({}),
      initialState: () => ({}),
      wakeOn: ['custom.*'],
      tick({ events, conversation, state }) {
        assert.equal(conversation, null);
        heard.push(events.map(({ type, subject }) => `${type} ${subject}`));
        return reschedule({ in: '6h', state });
      },
    });
    const run = await rehearse(agent, { at: NOON });
    await run.event({ type: 'record.changed', data: { record: 'invoice', recordId: '7', change: { paid: true } } });
    assert.equal(heard.length, 1);
    await run.event({ type: 'custom.stock-low', data: { sku: 'a' } });
    assert.deepEqual(heard[1], ['record.changed business', 'custom.stock-low business']);
    await assert.rejects(run.event({ type: 'record.changed', data: {} }), /data\.record: is missing/);
    await assert.rejects(run.event({ type: 'takeover', data: {} }), /takeover is not told/);
  });

  it('stops an agent that spins', async () => {
    const run = await rehearsed(({ state }) => reschedule({ in: '1s', state }));
    await assert.rejects(run.advance('1d'), /more than 10000 wake-ups/);
  });
});
