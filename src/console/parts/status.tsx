/** What a run is doing, or how it ended: a shape, a word and a hue, in that order of need. */
import { useSay, type Say } from '../words/words.ts';
import type { RunRow } from '../api/shapes.ts';

type Tone = 'still' | 'busy' | 'held' | 'trouble' | 'goal' | 'human' | 'user' | 'system';

/** Each can be told apart without colour. */
const SHAPES: Readonly<Record<Tone, string>> = {
  still: '○',
  busy: '◐',
  held: '‖',
  trouble: '!',
  goal: '✓',
  human: '◆',
  user: '–',
  system: '⊘',
};

type Standing = Pick<RunRow, 'status' | 'reason' | 'phase' | 'failures' | 'trouble'>;

export function toneOf({ status, phase, failures, trouble }: Standing): Tone {
  switch (status) {
    case 'IN_PROGRESS':
      if (phase === 'paused') return 'held';
      if (failures > 0 || trouble === 'overdue') return 'trouble';
      return phase === 'thinking' || phase === 'sending' || phase === 'ending' ? 'busy' : 'still';
    case 'COMPLETED':
    case 'EXITED_ON_INBOUND':
      return 'goal';
    case 'EXITED_ON_OUTBOUND':
      return 'human';
    case 'REMOVED_BY_USER':
      return 'user';
    case 'REMOVED_BY_SYSTEM':
      return 'system';
  }
}

/** @param max failures in a row that end it, when known. */
function statusWord(say: Say, { status, reason, phase, failures, trouble }: Standing, max?: number): string {
  if (status !== 'IN_PROGRESS') return reason === null ? say(`status.${status}`) : say(`reason.${reason}`);
  if (phase !== 'paused' && failures > 0)
    return max === undefined ? say('status.failing', { n: failures }) : say('status.failingOf', { n: failures, max });
  return say(trouble === 'overdue' ? 'status.late' : `status.${phase ?? 'asleep'}`);
}

export function Status({ run, max }: { readonly run: Standing; readonly max?: number | undefined }) {
  const say = useSay();
  return <Mark tone={toneOf(run)}>{statusWord(say, run, max)}</Mark>;
}

/** A word with a tone, for what is no run. */
export function Mark({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return (
    <span className="status" data-tone={tone}>
      <span className="shape" aria-hidden="true">
        {SHAPES[tone]}
      </span>
      {children}
    </span>
  );
}
