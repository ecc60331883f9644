/** What agents and providers may answer, chosen by a number. */
import { MAX_EFFECTS } from '../../src/domain/outcomes.ts';
import type { Effect } from '../../src/domain/schemas/effects.ts';
import type { Performed, TickResult } from '../../src/workflows/activity-types.ts';
import type { RunData } from '../../src/workflows/run-data.ts';
import { finish, HAND_OFF, iso, NOTE, outcome, reschedule, say } from './run-parts.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export function anOutcome(more: number, data: RunData, now: number): TickResult {
  const size = more % 3 === 0 ? 0 : more % 41 === 0 ? MAX_EFFECTS : more % 3;
  const effects = Array.from({ length: size }, (_, n): Effect => {
    return [say(), HAND_OFF, say('idea', { proactive: true }), NOTE][(more + n) % 4] ?? NOTE;
  });
  if (more % 60 === 8) return outcome(finish(effects));
  const cancel = more % 5 === 0 ? data.effects.map(({ key }) => key) : [];
  const due = more % 4 === 0 ? null : now + ([1_000, MINUTE, 6 * HOUR, 364 * 24 * HOUR][more % 4] ?? HOUR);
  return outcome(reschedule(due, { effects, cancel }));
}

export function aResult(more: number, data: RunData, now: number): Performed {
  switch (more % 9) {
    case 4:
      return more % 2 === 0 ? { result: 'done' } : { result: 'parked', reason: 'ambiguous', dueAt: iso(now + MINUTE) };
    case 5:
      return { result: 'parked', reason: 'quiet_hours', dueAt: iso(now + (more % 7) * HOUR) };
    case 6:
      return data.paused === null && more % 2 === 0
        ? { result: 'refused', reason: 'opted_out' }
        : { result: 'parked', reason: 'paused', dueAt: null };
    case 7:
      return { result: 'failed', reason: 'permanent' };
    case 8:
      return more % 10 === 0 ? { result: 'unreachable', reason: 'gone' } : { result: 'refused', reason: 'too_late' };
    default:
      return { result: 'done' };
  }
}
