import assert from 'node:assert/strict';
import type { WakeStep } from '../../src/domain/schemas/next-wake.ts';
import { wakePhrases } from '../../src/console/run/wake-phrases.ts';
import { sayEffectState, sayHeld, sayIn, type Language } from '../../src/console/words/say.ts';

describe('the words for what a message came to', () => {
  it('do not say that it was not sent, where the first had arrived and none went out again', () => {
    const effect = { state: 'refused', reason: 'arrived' };
    const words = (['en', 'pt'] as const)
      .map(sayIn)
      .map((say) => [sayEffectState(say, effect), sayHeld(say, 'arrived')]);
    assert.deepEqual(words, [
      ['not sent again', 'it had arrived after all'],
      ['não reenviado', 'tinha chegado afinal'],
    ]);
  });
});

const step = (rule: string, more: Partial<WakeStep> = {}): WakeStep => ({
  ...{ rule, from: null, until: null, effect: null, params: {} },
  ...more,
});
const told = (language: Language, steps: readonly WakeStep[]) =>
  wakePhrases(sayIn(language), steps)
    .map(({ words }) => words)
    .join(', ');

describe('the words for why a run wakes when it does', () => {
  const asked = step('asked', {
    ...{ from: '2026-11-29T12:00:00Z', until: '2026-12-01T00:00:00Z', params: { by: 'agent', why: '' } },
  });
  const moved = [
    asked,
    step('quiet_hours', { from: '2026-12-01T00:00:00Z', until: '2026-12-01T11:00:00Z' }),
    step('holiday', { from: '2026-12-01T11:00:00Z', until: '2026-12-02T12:00:00Z' }),
  ];

  it('name what was asked for and each rule that moved it, in both languages', () => {
    assert.equal(told('en', moved), 'asked for +36 h, moved by quiet hours, then by a holiday');
    assert.equal(told('pt', moved), 'pediu +36 h, movido por horário de silêncio, depois por um feriado');
  });

  it('say until when each rule moved it, but the last, whose end is what is explained', () => {
    assert.deepEqual(
      wakePhrases(sayIn('en'), moved).map(({ until }) => until),
      [null, '2026-12-01T11:00:00Z', null],
    );
  });

  it('say who moved it and why, where a person did', () => {
    const snoozed = [asked, step('snooze', { params: { actor: 'office/Rita', comment: 'on holiday' } })];
    assert.equal(told('en', snoozed), 'asked for +36 h, snoozed by office/Rita “on holiday”');
    const failed = [step('retry', { params: { failures: 1, of: 3, after: '1h' } })];
    assert.equal(told('pt', failed), 'falhou 1 de 3 vezes seguidas, tenta de novo depois de 1h');
  });

  it('show a rule that this console does not know yet by its own name', () => {
    assert.equal(told('en', [step('full_moon')]), 'moved by full moon');
  });

  it('tell what took an effect back, also where that was the end of its run', () => {
    const rules = ['customer_wrote', 'human_replied', 'detached', 'not_known_yet'];
    assert.deepEqual(
      rules.map((rule) => sayHeld(sayIn('pt'), rule)),
      ['o cliente escreveu de novo', 'um humano respondeu', 'desanexada', 'not known yet'],
    );
  });
});
