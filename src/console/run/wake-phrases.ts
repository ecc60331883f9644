/** What set a time and what moved it since, phrase by phrase: "asked for +36 h", "moved by quiet hours", "then by a holiday". Pure. */
import type { WakeStep } from '../../domain/schemas/next-wake.ts';
import { lasting } from '../time/format.ts';
import { sayHeld, type Say } from '../words/say.ts';

export interface WakePhrase {
  readonly words: string;
  /** When that was, where it helps to know. */
  readonly at: string | null;
  /** How far it moved the time; null: as far as what is explained, or nobody knows. */
  readonly until: string | null;
}

export function wakePhrases(say: Say, steps: readonly WakeStep[]): readonly WakePhrase[] {
  return steps.map((step, n) => ({
    words: wordsOf(say, step, isMove(steps[n - 1])),
    at: step.rule === 'asked' || step.rule === 'snooze' || step.rule === 'paused' ? step.from : null,
    until: isMove(step) && n < steps.length - 1 ? step.until : null,
  }));
}

/** Every other rule moves a time that was set. */
const SETTERS = ['first_run', 'jitter', 'asked', 'snooze', 'retry', 'outage', 'wake', 'debounce', 'paused', 'held_up'];

function isMove(step: WakeStep | undefined): boolean {
  return step !== undefined && !SETTERS.includes(step.rule);
}

function wordsOf(say: Say, { rule, from, until, params }: WakeStep, followsMove: boolean): string {
  const text = (name: string) => {
    const value = params[name];
    return typeof value === 'string' || typeof value === 'number' ? value : '–';
  };
  switch (rule) {
    case 'first_run':
    case 'outage':
    case 'debounce':
      return say(`wake.${rule}`);
    case 'jitter':
      return say('wake.jitter', { upTo: text('upTo') });
    case 'asked':
      if (params['by'] === 'attach') return say('wake.asked.attach');
      return quoting(askedFor(say, from, until), typeof params['why'] === 'string' ? say.told(params['why']) : '');
    case 'retry':
      return say('wake.retry', { failures: text('failures'), of: text('of'), after: text('after') });
    case 'snooze':
    case 'wake':
    case 'paused':
      return quoting(say(`wake.${rule}`, { actor: text('actor') }), params['comment']);
    case 'held_up':
      return say('wake.held_up', { message: say.told(String(text('message'))) });
    default:
      return say(followsMove ? 'wake.then' : 'wake.moved', { rule: sayHeld(say, rule) });
  }
}

function askedFor(say: Say, from: string | null, until: string | null): string {
  if (from === null || until === null) return say('wake.asked.unknown');
  const length = Math.max(0, Date.parse(until) - Date.parse(from));
  return say('wake.asked.agent', { length: `+${lasting(length, say.language)}` });
}

function quoting(words: string, comment: unknown): string {
  return typeof comment === 'string' && comment !== '' ? `${words} “${comment}”` : words;
}
