/** Why an agent went quiet, in one sentence, and whether anything went out afterwards. */
import type { Run, TimelineEntry } from '../api/shapes.ts';
import { Instant } from '../time/instant.tsx';
import { toneOf } from '../parts/status.tsx';
import { sayComment, sayOr, useSay } from '../words/words.ts';
import { useTimeline } from './use-timeline.ts';

export function EndNote({ run }: { readonly run: Run }) {
  const say = useSay();
  const timeline = useTimeline(run);
  if (run.endedAt === null || run.reason === null) return null;
  const tone = toneOf(run);
  return (
    <div className="note" data-tone={tone === 'system' ? 'trouble' : tone}>
      <p>
        <strong>
          {say('run.ended')} <Instant at={run.endedAt} how="fully" />
        </strong>
        : {sayOr(say, `ended.${run.reason}`, run.reason)}{' '}
        {timeline.entries && say(sentAfter(timeline.entries, run.endedAt))}
      </p>
      {(run.actor !== null || run.comment !== null) && (
        <p className="quiet">
          {run.actor !== null && say('run.by', { actor: say.told(run.actor) })}
          {run.comment !== null && ` · “${sayComment(say, run.actor, run.comment)}”`}
        </p>
      )}
    </div>
  );
}

/** A call that was at the provider when it ended may have gone out: then that is said, not hidden. */
function sentAfter(timeline: readonly TimelineEntry[], endedAt: string): 'run.silent' | 'run.inFlight' {
  const out = timeline.some(
    (entry) =>
      entry.entry === 'effect' &&
      entry.kind === 'message.send' &&
      ((entry.state === 'sent' && entry.at > endedAt) || entry.state === 'unknown' || entry.state === 'sending'),
  );
  return out ? 'run.inFlight' : 'run.silent';
}
