/** The same figures for each agent, or for each version of one. */
import type { EndedGroup } from '../../api/shapes.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Link, withQuery, type Place } from '../../router.tsx';
import { money } from '../../time/format.ts';
import { useSay } from '../../words/words.ts';

export function EndsBy({
  groups,
  agent,
  place,
}: {
  readonly groups: readonly EndedGroup[];
  /** Its versions; undefined: all agents. */
  readonly agent: string | undefined;
  readonly place: Place;
}) {
  const say = useSay();
  const percent = new Intl.NumberFormat(say.language, { style: 'percent', maximumFractionDigits: 0 });
  const rate = (of: number | null) => (of === null ? '–' : percent.format(of));
  const title = say(agent === undefined ? 'outcomes.byAgent' : 'outcomes.byVersion');
  return (
    <section>
      <h2>{title}</h2>
      <DataTable
        caption={title}
        rows={groups}
        idOf={({ group }) => group}
        columns={[
          {
            id: 'group',
            header: say(agent === undefined ? 'column.agent' : 'column.version'),
            cell: ({ group }) =>
              agent === undefined ? <Link to={withQuery(place, { agent: group })}>{group}</Link> : group,
          },
          { id: 'ended', header: say('outcomes.count'), isNumber: true, cell: ({ ended }) => ended },
          { id: 'completion', header: say('outcomes.completion'), isNumber: true, cell: (one) => rate(one.completion) },
          { id: 'takeover', header: say('outcomes.takeover'), isNumber: true, cell: (one) => rate(one.takeover) },
          { id: 'failure', header: say('outcomes.failure'), isNumber: true, cell: (one) => rate(one.failure) },
          {
            id: 'cost',
            header: say('outcomes.spend'),
            isNumber: true,
            cell: ({ costUsd }) => (costUsd === null ? '–' : money(costUsd, say.language)),
          },
        ]}
      />
    </section>
  );
}
