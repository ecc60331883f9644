import assert from 'node:assert/strict';
import { movesOf, type SendQuestion } from '../../src/domain/may-send.ts';
import { nextRunSteps, type LatestOfRun } from '../../src/domain/next-wake.ts';
import { resolvePolicy } from '../../src/domain/schemas/policy.ts';
import type { PendingEffect, Run } from '../../src/domain/schemas/runs.ts';
import { aConversation, aRun, at } from '../support/facts.ts';

const NOBODY: LatestOfRun = { ticks: [], acts: [], heldUp: null };
const asked = {
  endedAt: at('09:00:02'),
  outcome: { kind: 'reschedule', nextRunAt: at('15:00:00'), why: 'asks again' },
} as const;

function aView(over: Partial<Run> = {}): Run {
  const run = aRun(aConversation().subject, { nextRunAt: at('15:00:00'), nextRunWhy: 'asks again' });
  return { ...run, policy: resolvePolicy({}), pendingEffects: [], pausedUntil: null, queued: 0, ...over };
}
const rulesOf = (run: Run, latest: LatestOfRun = NOBODY) => nextRunSteps(run, latest).map(({ rule }) => rule);

describe('why a run wakes when it does', () => {
  it('is what the agent asked for, and when it did', () => {
    assert.deepEqual(nextRunSteps(aView(), { ...NOBODY, ticks: [asked], acts: [] }), [
      {
        ...{ rule: 'asked', from: at('09:00:02'), until: at('15:00:00'), effect: null },
        params: { by: 'agent', why: 'asks again' },
      },
    ]);
  });

  it('is what the agent asked for, whatever words it chose', () => {
    for (const why of ['snoozed by the customer until Monday', 'failed 1 of 3: no answer yet', 'first run']) {
      const latest = { ...NOBODY, ticks: [{ ...asked, outcome: { ...asked.outcome, why } }] };
      const [step] = nextRunSteps(aView({ nextRunWhy: why }), latest);
      assert.deepEqual([step?.rule, step?.params], ['asked', { by: 'agent', why }]);
    }
  });

  it('names who snoozed it, and what it would have been', () => {
    const run = aView({ nextRunAt: at('20:00:00'), nextRunWhy: 'snoozed by crm/ana' });
    const act = { act: 'snooze', actor: 'crm/ana', comment: 'holiday', at: at('09:30:00') };
    const [first, second] = nextRunSteps(run, { ...NOBODY, ticks: [asked], acts: [act] });
    assert.deepEqual([first?.rule, first?.until], ['asked', at('15:00:00')]);
    assert.deepEqual([second?.rule, second?.from, second?.until], ['snooze', at('09:30:00'), at('20:00:00')]);
    assert.deepEqual(second?.params, { actor: 'crm/ana', comment: 'holiday' });
  });

  it('counts failed wake-ups', () => {
    const failed = {
      endedAt: at('09:10:00'),
      outcome: { kind: 'failed', fault: 'ModelError', message: 'no' },
    } as const;
    const run = aView({ failures: 2, nextRunAt: at('10:10:00'), nextRunWhy: 'failed 2 of 3: ModelError: no' });
    const retry = nextRunSteps(run, { ...NOBODY, ticks: [failed, asked], acts: [] }).at(-1);
    assert.deepEqual([retry?.rule, retry?.from, retry?.params['failures']], ['retry', at('09:10:00'), 2]);
    assert.equal(retry?.params['message'], 'no');
  });

  it('tells outages, jitter, first runs, bursts, pauses and who asked to wake it', () => {
    const outage = aView({ nextRunWhy: `postponed, provider outage since ${at('08:00:00')}: 503` });
    assert.deepEqual(nextRunSteps(outage, NOBODY)[0]?.from, at('08:00:00'));
    assert.deepEqual(rulesOf(aView({ nextRunWhy: 'first run, spread by jitter' })), ['jitter']);
    assert.deepEqual(rulesOf(aView({ nextRunWhy: 'first run' })), ['first_run']);
    assert.deepEqual(rulesOf(aView({ phase: 'debouncing', queued: 2 })), ['asked', 'debounce']);
    assert.deepEqual(rulesOf(aView({ phase: 'paused', pausedUntil: at('12:00:00') })), ['asked', 'paused']);
    const wake = { act: 'wake', actor: 'crm', comment: null, at: at('10:00:00') };
    assert.deepEqual(rulesOf(aView(), { ...NOBODY, ticks: [asked], acts: [wake] }), ['asked', 'wake']);
    const since = { ...asked, endedAt: at('10:00:05') };
    assert.deepEqual(rulesOf(aView(), { ...NOBODY, ticks: [since], acts: [wake] }), ['asked']);
    assert.deepEqual(rulesOf(aView({ endedAt: at('10:00:00'), nextRunAt: null })), []);
  });

  it('shows each rule that moved a message that waits', () => {
    const question: SendQuestion = {
      now: at('22:00:00'),
      send: { kind: 'message.send', text: 'hello', proactive: true },
      contact: { optedOut: false, marketingStopped: false, timeZone: 'UTC', holidays: ['2026-12-01'] },
      conversation: { channel: { hasServiceWindow: false }, lastInboundAt: null, closed: false },
      policy: {
        ...{ quietHours: { from: '21:00', to: '08:00' }, proactivePerDay: 3, sendsPerMinute: 10 },
        workingHours: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '18:00' }],
      },
      counts: { inConversation: 0, proactiveToContact: 0 },
    };
    const moves = movesOf(question);
    const expected = ['quiet_hours', 'holiday', 'quiet_hours', 'working_hours'];
    assert.deepEqual(
      moves.map(({ rule }) => rule),
      expected,
    );
    assert.equal(moves.at(-1)?.until, '2026-12-02T09:00:00.000Z');
    for (const [n, { from }] of moves.entries()) assert.equal(from, n === 0 ? question.now : moves[n - 1]?.until);
    assert.deepEqual(movesOf({ ...question, now: '2026-12-02T10:00:00.000Z' }), []);
    const effect: PendingEffect = {
      ...{ key: 'k', effect: question.send, reason: 'quiet_hours', attempts: 1, since: question.now },
      ...{ dueAt: '2026-12-02T09:00:00.000Z', moves: [...moves] },
      state: 'parked',
    };
    const steps = nextRunSteps(aView({ pendingEffects: [effect] }), NOBODY).filter(({ effect: of }) => of === 'k');
    assert.deepEqual(
      steps.map(({ rule }) => rule),
      expected,
    );
  });
});
