/** Each status as a share of what has ended, its reasons below it; every line opens its runs. */
import { REASONS_OF, TERMINAL_STATUSES, type EndReason, type TerminalStatus } from '../../../domain/statuses.ts';
import type { EndedGroup } from '../../api/shapes.ts';
import { Headings } from '../../parts/headings.tsx';
import { Link } from '../../router.tsx';
import { useSay } from '../../words/words.ts';
import { useDrill, type Drill } from './use-drill.ts';

export function WhyTheyEnd({ total, ...drill }: { readonly total: EndedGroup } & Drill) {
  const say = useSay();
  const to = useDrill(drill);
  return (
    <section>
      <h2>{say.count('outcomes.ended', total.ended)}</h2>
      <table className="table funnel">
        <caption className="spoken">{say('nav.outcomes')}</caption>
        <Headings
          columns={[
            { id: 'how', header: say('outcomes.how') },
            { id: 'count', header: say('outcomes.count'), isNumber: true },
            { id: 'share', header: say('outcomes.share'), isNumber: true },
          ]}
        />
        <tbody>
          {TERMINAL_STATUSES.flatMap((status) => [
            <Line
              key={status}
              name={say(`status.${status}`)}
              n={total.status[status] ?? 0}
              of={total.ended}
              to={to({ status })}
            />,
            ...reasonsIn(total, status).map(([reason, n]) => (
              <Line
                key={reason}
                name={say(`reason.${reason}`)}
                n={n}
                of={total.ended}
                to={to({ status, reason })}
                isPart
              />
            )),
          ])}
        </tbody>
      </table>
    </section>
  );
}

function Line(of: {
  readonly name: string;
  readonly n: number;
  readonly of: number;
  readonly to: string;
  readonly isPart?: boolean;
}) {
  const { language } = useSay();
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  return (
    <tr data-part={of.isPart}>
      <th scope="row">{of.n === 0 ? of.name : <Link to={of.to}>{of.name}</Link>}</th>
      <td className="number">{of.n}</td>
      <td className="number">{percent.format(of.n / of.of)}</td>
    </tr>
  );
}

function reasonsIn({ reason }: EndedGroup, status: TerminalStatus): [EndReason, number][] {
  return REASONS_OF[status].flatMap((one): [EndReason, number][] => {
    const n = reason[one] ?? 0;
    return n === 0 ? [] : [[one, n]];
  });
}
