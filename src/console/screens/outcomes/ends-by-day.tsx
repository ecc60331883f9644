/** Ends per day, stacked by status. */
import { TERMINAL_STATUSES } from '../../../domain/statuses.ts';
import type { Outcomes } from '../../api/shapes.ts';
import { StackedBars } from '../../parts/stacked-bars.tsx';
import { dayOf, midnightOf, shortDay } from '../../time/format.ts';
import { useSay } from '../../words/words.ts';
import { useDrill, type Drill } from './use-drill.ts';

export function EndsByDay({ outcomes, ...drill }: { readonly outcomes: Outcomes } & Drill) {
  const say = useSay();
  const to = useDrill(drill);
  return (
    <section>
      <h2>{say('outcomes.byDay')}</h2>
      <StackedBars
        title={say('outcomes.byDay')}
        bars={daysOf(outcomes).map(({ day, status }) => ({
          id: day,
          label: shortDay(day, say.language),
          parts: TERMINAL_STATUSES.map((one) => ({
            kind: one,
            label: say(`status.${one}`),
            count: status[one] ?? 0,
            to: to({ status: one, ...within(day, outcomes.zone) }),
          })),
        }))}
      />
      <ul className="bar legend" aria-hidden="true">
        {TERMINAL_STATUSES.map((one) => (
          <li key={one}>
            <svg viewBox="0 0 10 10" className="chart swatch">
              <rect data-kind={one} width={10} height={10} />
            </svg>{' '}
            {say(`status.${one}`)}
          </li>
        ))}
      </ul>
    </section>
  );
}

const DAY_MS = 86_400_000;

/** Every day of the span, those without an end too. */
function daysOf({ from, to, zone, items }: Outcomes) {
  const known = new Map(items.map(({ group, status }) => [group, status]));
  const days = new Set<string>();
  for (let at = Date.parse(from) + DAY_MS; at <= Date.parse(to); at += DAY_MS) days.add(dayOf(at, zone));
  return [...days.add(dayOf(Date.parse(to), zone))].map((day) => ({ day, status: known.get(day) ?? {} }));
}

function within(day: string, zone: string): { readonly endedFrom: string; readonly endedTo: string } {
  const from = midnightOf(day, zone);
  return { endedFrom: new Date(from).toISOString(), endedTo: new Date(from + DAY_MS).toISOString() };
}
