/** Ends per day, stacked by status. */
import { TERMINAL_STATUSES } from '../../../domain/statuses.ts';
import type { Outcomes } from '../../api/shapes.ts';
import { StackedBars } from '../../parts/stacked-bars.tsx';
import { midnightOf } from '../../time/format.ts';
import { useSay } from '../../words/words.ts';
import { useDrill, type Drill } from './use-drill.ts';

export function EndsByDay({ outcomes, ...drill }: { readonly outcomes: Outcomes } & Drill) {
  const say = useSay();
  const to = useDrill(drill);
  const short = new Intl.DateTimeFormat(say.language, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  return (
    <section>
      <h2>{say('outcomes.byDay')}</h2>
      <StackedBars
        title={say('outcomes.byDay')}
        bars={outcomes.items.map(({ group, status }) => ({
          id: group,
          label: short.format(Date.parse(group)),
          parts: TERMINAL_STATUSES.map((one) => ({
            kind: one,
            label: say(`status.${one}`),
            count: status[one] ?? 0,
            to: to({ status: one, ...dayOf(group, outcomes.zone) }),
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

function dayOf(day: string, zone: string): { readonly endedFrom: string; readonly endedTo: string } {
  const from = midnightOf(day, zone);
  return { endedFrom: new Date(from).toISOString(), endedTo: new Date(from + DAY_MS).toISOString() };
}
