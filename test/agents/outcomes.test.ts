import assert from 'node:assert/strict';
import fc from 'fast-check';
import { z } from 'zod';
import { close, handOff, note, say } from '../../src/agents/effects.ts';
import { checkOutcome, finish, reschedule } from '../../src/agents/outcomes.ts';
import { withTickContext, type TickContext } from '../../src/agents/tick-context.ts';
import { InvalidOutcomeError, OUTCOME_RULES, type OutcomeRule } from '../../src/domain/errors.ts';
import { MAX_INTERVAL_MS, MIN_INTERVAL_MS } from '../../src/domain/outcomes.ts';

const NOW = Date.parse('2026-06-02T12:00:00.000Z');
const iso = (ms: number): string => new Date(ms).toISOString();
const context = (more: Partial<TickContext> = {}): TickContext => ({
  state: z.strictObject({ n: z.int() }),
  dueAt: iso(NOW + 60_000),
  begunAt: NOW,
  clock: () => NOW,
  ignoresHumans: false,
  ...more,
});
const state = { n: 1 };
const DUE = iso(NOW + 3_600_000);

/** Plain objects, as an author without types or a language model writes them. */
const BROKEN: readonly { readonly rule: OutcomeRule; readonly path?: string; readonly raw: unknown }[] = [
  { rule: 'next_run_missing', raw: { kind: 'reschedule', state } },
  { rule: 'next_run_not_absolute', raw: { nextRunAt: '2026-06-02T15:00:00', state } },
  { rule: 'next_run_not_absolute', raw: { nextRunAt: '2026-06-02T15:00:00+02:00', state } },
  { rule: 'next_run_not_absolute', raw: { nextRunAt: 'tomorrow at nine', state } },
  { rule: 'next_run_not_absolute', raw: { nextRunAt: NOW + 3_600_000, state } },
  { rule: 'next_run_not_absolute', raw: { nextRunAt: new Date(NOW + 3_600_000), state } },
  { rule: 'next_run_in_past', raw: { nextRunAt: iso(NOW - 1), state } },
  { rule: 'next_run_too_near', raw: { nextRunAt: iso(NOW + MIN_INTERVAL_MS - 1), state } },
  { rule: 'next_run_too_far', raw: { nextRunAt: iso(NOW + MAX_INTERVAL_MS + 1), state } },
  { rule: 'status_missing', raw: { kind: 'finish', state } },
  { rule: 'status_not_terminal', raw: { status: 'IN_PROGRESS', reason: 'goal_reached', state } },
  { rule: 'status_not_terminal', raw: { status: 'DONE', state } },
  { rule: 'reason_not_allowed', raw: { status: 'COMPLETED', state } },
  { rule: 'reason_not_allowed', raw: { status: 'COMPLETED', reason: 'customer_replied', state } },
  { rule: 'reason_not_allowed', raw: { status: 'REMOVED_BY_SYSTEM', reason: 'lost', state } },
  { rule: 'reason_not_allowed', raw: { status: 'EXITED_ON_OUTBOUND', reason: 'human_replied', state } },
  { rule: 'both_outcomes', raw: { nextRunAt: DUE, status: 'COMPLETED', reason: 'goal_reached', state } },
  {
    rule: 'both_outcomes',
    raw: { kind: 'finish', nextRunAt: DUE, status: 'COMPLETED', reason: 'goal_reached', state },
  },
  ...[undefined, null, '', 'RESCHEDULE in 6 hours', '```json\n{}\n```', [], {}, { kind: 'terminal', state }, 7].map(
    (raw) => ({ rule: 'not_an_outcome' as const, raw }),
  ),
  { rule: 'not_an_outcome', path: 'effect', raw: { nextRunAt: DUE, state, effect: [] } },
  { rule: 'not_an_outcome', path: 'why', raw: { nextRunAt: DUE, state, why: 7 } },
  { rule: 'state_invalid', path: 'state', raw: { nextRunAt: DUE } },
  { rule: 'state_invalid', path: 'state.n', raw: { nextRunAt: DUE, state: { n: 'one' } } },
  { rule: 'state_invalid', path: 'state.since', raw: { nextRunAt: DUE, state: { n: 1, since: new Date(NOW) } } },
  { rule: 'state_invalid', path: 'state.n', raw: { nextRunAt: DUE, state: { n: Number.NaN } } },
  { rule: 'state_too_large', raw: { nextRunAt: DUE, state: { n: 1, transcript: 'x'.repeat(16 * 1024) } } },
  {
    rule: 'effect_invalid',
    path: 'effects.1.kind',
    raw: { nextRunAt: DUE, state, effects: [{ kind: 'conversation.close' }, { kind: 'rocket.launch' }] },
  },
  {
    rule: 'effect_invalid',
    path: 'effects.0.text',
    raw: { nextRunAt: DUE, state, effects: [{ kind: 'message.send', text: '' }] },
  },
  { rule: 'effect_invalid', path: 'effects', raw: { nextRunAt: DUE, state, effects: {} } },
  { rule: 'effect_invalid', path: 'cancel.0', raw: { nextRunAt: DUE, state, cancel: ['all'] } },
  {
    rule: 'too_many_effects',
    raw: { nextRunAt: DUE, state, effects: Array.from({ length: 21 }, () => ({ kind: 'conversation.close' })) },
  },
  {
    rule: 'too_many_effects',
    raw: {
      nextRunAt: DUE,
      state,
      effects: Array.from({ length: 5 }, () => ({ kind: 'note.add', text: 'é'.repeat(4_000) })),
    },
  },
  {
    rule: 'hand_off_goes_on',
    path: 'effects.1',
    raw: {
      nextRunAt: DUE,
      state,
      effects: [
        { kind: 'note.add', text: 'VIP' },
        { kind: 'conversation.handOff', note: 'VIP' },
      ],
    },
  },
];

function breaks(rule: OutcomeRule, path: string | undefined, act: () => unknown): void {
  assert.throws(
    act,
    (error: unknown) =>
      error instanceof InvalidOutcomeError && error.rule === rule && (path === undefined || error.path === path),
    `${rule} ${path ?? ''}`,
  );
}

describe('an invalid outcome', () => {
  for (const { rule, path, raw } of BROKEN)
    it(`is refused as ${rule}: ${JSON.stringify({ raw }).slice(7, 90)}`, () =>
      breaks(rule, path, () => checkOutcome(raw, context())));

  it('has an example here for every rule', () => {
    assert.deepEqual([...new Set(BROKEN.map(({ rule }) => rule))].sort(), [...OUTCOME_RULES].sort());
  });

  it('is refused by the builders in the agent’s own stack', () => {
    const build = (input: object) => () =>
      withTickContext(context(), () => reschedule(input as Parameters<typeof reschedule>[0]));
    const end = (input: object) => () =>
      withTickContext(context(), () => finish(input as Parameters<typeof finish>[0]));
    breaks('next_run_missing', undefined, build({ state }));
    breaks('next_run_missing', undefined, build({ state, in: '6h', keep: true }));
    breaks('next_run_missing', undefined, build({ state, keep: false }));
    breaks('next_run_not_absolute', 'in', build({ state, in: '6 hours' }));
    breaks('next_run_too_near', undefined, build({ state, in: '0s' }));
    breaks('next_run_too_far', undefined, build({ state, in: '401d' }));
    breaks('next_run_not_absolute', 'in', build({ state, in: '99999999999d' }));
    breaks('next_run_in_past', undefined, build({ state, at: iso(NOW - 1) }));
    breaks('both_outcomes', 'status', build({ state, in: '6h', status: 'COMPLETED' }));
    breaks('both_outcomes', 'in', end({ state, in: '6h', status: 'COMPLETED', reason: 'gave_up' }));
    breaks('state_invalid', 'state.n', build({ state: {}, in: '6h' }));
    breaks('effect_invalid', 'text', () => say('x'.repeat(4_097)));
    breaks('effect_invalid', 'note', () => handOff({ note: '' }));
    breaks('hand_off_goes_on', 'effects.0', build({ state, in: '6h', effects: [handOff({ note: 'VIP' })] }));
  });

  it('keeps no due time that has passed: the run would wake at once, for ever', () => {
    breaks('next_run_in_past', 'keep', () =>
      withTickContext(context({ dueAt: iso(NOW) }), () => reschedule({ keep: true, state })),
    );
    breaks('next_run_in_past', 'keep', () => checkOutcome({ nextRunAt: null, state }, context({ dueAt: iso(NOW) })));
  });
});

describe('a hand-off', () => {
  const goesOn = () => reschedule({ in: '6h', state, effects: [handOff({ note: 'VIP' })] });

  it('is the last that an agent does, wherever its outcome was built', () => {
    const outcome = goesOn();
    breaks('hand_off_goes_on', 'effects.0', () => checkOutcome(outcome, context()));
  });

  it('may be followed by more from an agent that ignores humans', () => {
    const ignoring = context({ ignoresHumans: true });
    const outcome = withTickContext(ignoring, goesOn);
    assert.equal(checkOutcome(outcome, ignoring), outcome);
  });
});

describe('a valid outcome', () => {
  it('says the same words once: the first of them, as an answer if one of them is, however they were built', () => {
    const bye = 'I hand you over to a colleague.';
    const effects = [
      say(bye, { proactive: true }),
      handOff({ note: 'asked for a person' }),
      say(` ${bye}\n`),
      say('Bye'),
    ];
    const kept = [
      { kind: 'message.send', text: bye, proactive: false },
      { kind: 'conversation.handOff', note: 'asked for a person' },
      { kind: 'message.send', text: 'Bye', proactive: false },
    ];
    const end = { status: 'COMPLETED', reason: 'handed_off', state, effects } as const;
    assert.deepEqual(withTickContext(context(), () => finish(end)).effects, kept);
    assert.deepEqual(checkOutcome(end, context()).effects, kept);
    const twoTemplates = ['a', 'b'].map((name) => say(bye, { template: { name, language: 'en' } }));
    assert.equal(checkOutcome({ ...end, effects: twoTemplates }, context()).effects.length, 2);
  });

  it('keeps a due time that passes while the agent thinks', () => {
    const slow = context({ dueAt: iso(NOW + 1_000), clock: () => NOW + 30_000 });
    assert.equal(withTickContext(slow, () => reschedule({ keep: true, state })).nextRunAt, null);
  });

  it('counts "in" from the moment of the call', () => {
    assert.equal(withTickContext(context(), () => reschedule({ in: '6h', state })).nextRunAt, iso(NOW + 6 * 3_600_000));
  });

  it('keeps the due time as null', () => {
    assert.equal(withTickContext(context(), () => reschedule({ keep: true, state })).nextRunAt, null);
  });

  it('is not held against a later clock once built', () => {
    const outcome = withTickContext(context(), () => reschedule({ in: '1s', state, effects: [say('hello')] }));
    assert.equal(checkOutcome(outcome, context({ clock: () => NOW + 86_400_000 })), outcome);
  });

  it('built outside any tick is held against the agent’s schema at the boundary', () => {
    breaks('state_invalid', 'state.n', () =>
      checkOutcome(finish({ status: 'COMPLETED', reason: 'gave_up', state: { n: 'one' } }), context()),
    );
  });

  it('does not change with what the agent holds on to', () => {
    const mine = { n: 1 };
    const outcome = withTickContext(context(), () => reschedule({ in: '6h', state: mine }));
    mine.n = 2;
    assert.deepEqual(outcome.state, { n: 1 });
    assert.throws(() => (outcome.effects as unknown[]).push(close()), TypeError);
  });

  it('finds its context across awaits, and not the neighbour’s', async () => {
    const slow = (n: unknown) =>
      withTickContext(context({ state: z.strictObject({ n: z.literal(n as number) }) }), async () => {
        await new Promise(setImmediate);
        return reschedule({ in: '6h', state: { n } });
      });
    assert.deepEqual(
      (await Promise.all([slow(1), slow(2)])).map((each) => each.state),
      [{ n: 1 }, { n: 2 }],
    );
  });

  it('carries effects in their full form', () => {
    const effects = [
      say('hello'),
      say('soon?', { proactive: true, notAfter: DUE, template: { name: 'again', language: 'pt' } }),
      note('n'),
      handOff({ note: 'n', team: 'sales' }),
      close(),
    ];
    assert.deepEqual(effects, [
      { kind: 'message.send', text: 'hello', proactive: false },
      {
        kind: 'message.send',
        text: 'soon?',
        proactive: true,
        notAfter: DUE,
        template: { name: 'again', language: 'pt', parameters: [] },
      },
      { kind: 'note.add', text: 'n' },
      { kind: 'conversation.handOff', note: 'n', team: 'sales' },
      { kind: 'conversation.close' },
    ]);
  });

  it('survives the wire: as plain JSON it is the same outcome again', () => {
    const wait = fc.integer({ min: MIN_INTERVAL_MS, max: MAX_INTERVAL_MS });
    fc.assert(
      fc.property(
        wait,
        fc.integer(),
        fc.array(fc.string({ minLength: 1, maxLength: 50 }), { maxLength: 5 }),
        (ms, n, texts) => {
          const outcome = withTickContext(context(), () =>
            reschedule({ at: iso(NOW + ms), state: { n }, effects: texts.map((text) => say(text)), why: 'because' }),
          );
          assert.deepEqual(checkOutcome(JSON.parse(JSON.stringify(outcome)), context()), outcome);
        },
      ),
    );
  });
});

describe('the boundary', () => {
  it('answers anything at all with an outcome or an InvalidOutcomeError', () => {
    const key = fc.constantFrom(
      'kind',
      'nextRunAt',
      'status',
      'reason',
      'state',
      'effects',
      'cancel',
      'why',
      'comment',
      'x',
    );
    const value = fc.oneof(
      fc.anything({ withDate: true, withMap: true, withBigInt: true }),
      fc.constantFrom<unknown>('reschedule', 'finish', DUE, 'COMPLETED', 'gave_up', state, []),
    );
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.dictionary(key, value)), (raw) => {
        try {
          checkOutcome(raw, context());
        } catch (error) {
          assert.ok(error instanceof InvalidOutcomeError, String(error));
        }
      }),
      { numRuns: 500 },
    );
  });
});
