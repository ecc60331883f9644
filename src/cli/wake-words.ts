/** Why a run wakes when it does and what holds its messages, in the console's words; what is not here is told by its name. */
import { formatDuration } from '../domain/durations.ts';
import type { WakeStep } from '../domain/schemas/next-wake.ts';

/** Of the wake-up, such as `asked for 6h by the agent “follow-up 1 of 3” (2026-12-01T08:00:00.000Z)`. */
export function wakeWords({ rule, from, until, params }: WakeStep): string {
  const text = (name: string) => {
    const value = params[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '–';
  };
  const by = (words: string) => joined([words, text('actor'), quoted(params['comment']), at(from)]);
  switch (rule) {
    case 'first_run':
      return 'its first run';
    case 'jitter':
      return `its first run, spread over ${text('upTo')}`;
    case 'asked':
      if (params['by'] === 'attach') return joined(['asked for when it was attached', at(from)]);
      return joined([askedFor(from, until), quoted(params['why']), at(from)]);
    case 'retry':
      return joined([
        `failed ${text('failures')} of ${text('of')} times in a row, tries again after ${text('after')}`,
        quoted(params['message']),
      ]);
    case 'outage':
      return joined(['moved by a provider’s outage', quoted(params['message'])]);
    case 'debounce':
      return 'the customer may go on writing';
    case 'snooze':
      return by('snoozed by');
    case 'wake':
      return by('woken by');
    case 'paused':
      return by('held by the pause of');
    default:
      return `moved by ${heldWords(rule)}`;
  }
}

/** Of a message that waits, such as `quiet hours until 2026-12-01T08:00:00.000Z, then a holiday until …`. */
export function heldBy(steps: readonly WakeStep[]): string {
  return steps
    .map(({ rule, until }) => joined([heldWords(rule), until === null ? null : `until ${until}`]))
    .join(', then ');
}

const HELD: Readonly<Record<string, string>> = {
  no_channel: 'no channel that can send',
  no_contact: 'nobody to send it to yet',
  holiday: 'a holiday',
  frequency_cap: 'enough for this person today',
  rate_limited: 'too fast',
  contact_rate: 'too fast for this contact',
  retrying: 'a failed attempt',
  undelivered: 'did not arrive, goes out again',
  ambiguous: 'an attempt without an answer',
  paused: 'the pause',
};

export function heldWords(rule: string): string {
  return HELD[rule] ?? rule.replaceAll('_', ' ');
}

function askedFor(from: string | null, until: string | null): string {
  if (from === null || until === null) return 'asked for by the agent';
  return `asked for ${formatDuration(Date.parse(until) - Date.parse(from))} by the agent`;
}

function quoted(words: unknown): string | null {
  return typeof words === 'string' && words !== '' ? `“${words}”` : null;
}

function at(instant: string | null): string | null {
  return instant === null ? null : `(${instant})`;
}

function joined(parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null).join(' ');
}
