/** What happened, newest first, under the days it happened on. */
import type { Run, TimelineEntry } from '../api/shapes.ts';
import { Reading } from '../parts/empty.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { dayName, dayOf } from '../time/format.ts';
import { useSay } from '../words/words.ts';
import { TimelineLine } from './timeline-line.tsx';
import { useTimeline } from './use-timeline.ts';

interface Day {
  readonly name: string;
  readonly entries: readonly TimelineEntry[];
}

export function Timeline({ run }: { readonly run: Run }) {
  const say = useSay();
  const timeline = useTimeline(run);
  return (
    <section className="timeline" aria-label={say('run.timeline')}>
      <h3>{say('run.timeline')}</h3>
      {timeline.isPending && <Reading />}
      {timeline.isError && <ProblemNote error={timeline.error} again={() => void timeline.refetch()} />}
      {timeline.entries?.length === 0 && <p className="quiet">{say('run.nothingYet')}</p>}
      {daysOf(timeline.entries ?? []).map(({ name, entries }) => (
        <div key={name}>
          <h4>{dayName(Date.parse(entries[0]?.at ?? ''), say.language)}</h4>
          <ol>
            {entries.map((entry) => (
              <TimelineLine key={entry.entryId} entry={entry} run={run} />
            ))}
          </ol>
        </div>
      ))}
      {timeline.hasNextPage && (
        <button
          type="button"
          className="link"
          disabled={timeline.isFetchingNextPage}
          onClick={() => void timeline.fetchNextPage()}
        >
          {say('run.earlier')}
        </button>
      )}
    </section>
  );
}

function daysOf(oldestFirst: readonly TimelineEntry[]): readonly Day[] {
  const days = new Map<string, TimelineEntry[]>();
  for (const entry of oldestFirst.toReversed()) {
    const day = dayOf(Date.parse(entry.at));
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return [...days].map(([name, entries]) => ({ name, entries }));
}
