/** How runs end, by status, reason, agent and version; every number opens the runs behind it. */
import { useQuery } from '@tanstack/react-query';
import { TERMINAL_STATUSES, REASONS_OF, type EndReason, type TerminalStatus } from '../../../domain/statuses.ts';
import { screenAddress } from '../../addresses.ts';
import { useServer } from '../../api/context.ts';
import type { RunCounts } from '../../api/shapes.ts';
import { Empty, Reading } from '../../parts/empty.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { csvOf, saveFile } from '../../save-file.ts';
import { go, Link, withQuery } from '../../router.tsx';
import { useSay, type Say } from '../../words/words.ts';
import type { ScreenProps } from '../screens.tsx';

export function OutcomesScreen({ place }: ScreenProps) {
  const say = useSay();
  const server = useServer();
  const agent = place.query.get('agent') ?? undefined;
  const version = place.query.get('version') ?? undefined;
  const everything = useQuery({
    queryKey: [server.tenant, 'outcomes', {}],
    queryFn: ({ signal }) => server.counts({}, { signal }),
  });
  const counts = useQuery({
    queryKey: [server.tenant, 'outcomes', { agent, version }],
    queryFn: ({ signal }) => server.counts({ agent, version }, { signal }),
  });
  const choose = (changes: Record<string, string | null>) => go(withQuery(place, changes), 'replace');
  const known = everything.data?.agents ?? [];
  return (
    <div className="screen">
      <header>
        <h1>{say('nav.outcomes')}</h1>
        <p>{say('outcomes.about')}</p>
      </header>
      <div className="bar" role="group" aria-label={say('runs.filters')}>
        <Choice
          label={say('runs.filter.agent')}
          value={agent}
          values={[...new Set(known.map((one) => one.agent))]}
          choose={(chosen) => choose({ agent: chosen, version: null })}
        />
        {agent !== undefined && (
          <Choice
            label={say('runs.filter.version')}
            value={version}
            values={known.flatMap((one) => (one.agent === agent && one.version !== null ? [String(one.version)] : []))}
            choose={(chosen) => choose({ version: chosen })}
          />
        )}
        {counts.data && (
          <button type="button" onClick={() => saveFile('outcomes.csv', csvFor(say, counts.data))}>
            {say('outcomes.csv')}
          </button>
        )}
      </div>
      {counts.isPending && <Reading />}
      {counts.isError && <ProblemNote error={counts.error} again={() => void counts.refetch()} />}
      {counts.data && endedIn(counts.data) === 0 && (
        <Empty title={say('outcomes.none')}>{say('outcomes.noneHint')}</Empty>
      )}
      {counts.data && endedIn(counts.data) > 0 && (
        <Funnel counts={counts.data} filter={{ ...(agent && { agent }), ...(version && { version }) }} />
      )}
    </div>
  );
}

/** Each status as a share of what has ended, its reasons below it. */
function Funnel({ counts, filter }: { readonly counts: RunCounts; readonly filter: Readonly<Record<string, string>> }) {
  const say = useSay();
  const { tenant } = useServer();
  const ended = endedIn(counts);
  const to = (more: Readonly<Record<string, string>>) => screenAddress(tenant, 'runs', { ...filter, ...more });
  return (
    <section>
      <h2>{say.count('outcomes.ended', ended)}</h2>
      <table className="table funnel">
        <caption className="spoken">{say('nav.outcomes')}</caption>
        <thead>
          <tr>
            <th scope="col">{say('outcomes.how')}</th>
            <th scope="col" className="number">
              {say('outcomes.count')}
            </th>
            <th scope="col" className="number">
              {say('outcomes.share')}
            </th>
            <th scope="col">
              <span className="spoken">{say('outcomes.share')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {TERMINAL_STATUSES.map((status) => {
            const n = counts.status[status] ?? 0;
            return [
              <Line key={status} name={say(`status.${status}`)} n={n} of={ended} kind={status} to={to({ status })} />,
              ...reasonsIn(counts, status).map(([reason, m]) => (
                <Line
                  key={reason}
                  name={say(`reason.${reason}`)}
                  n={m}
                  of={ended}
                  kind={status}
                  to={to({ status, reason })}
                  isPart
                />
              )),
            ];
          })}
        </tbody>
      </table>
    </section>
  );
}

function Line(of: {
  readonly name: string;
  readonly n: number;
  readonly of: number;
  readonly kind: TerminalStatus;
  readonly to: string;
  readonly isPart?: boolean;
}) {
  const { language } = useSay();
  const share = of.n / of.of;
  return (
    <tr data-part={of.isPart}>
      <th scope="row">{of.n === 0 ? of.name : <Link to={of.to}>{of.name}</Link>}</th>
      <td className="number">{of.n}</td>
      <td className="number">
        {new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(share)}
      </td>
      <td>
        <svg className="chart share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          <rect data-kind={of.kind} width={share * 100} height={8} />
        </svg>
      </td>
    </tr>
  );
}

function Choice(of: {
  readonly label: string;
  readonly value: string | undefined;
  readonly values: readonly string[];
  readonly choose: (value: string | null) => void;
}) {
  const say = useSay();
  return (
    <select
      aria-label={of.label}
      value={of.value ?? ''}
      onChange={({ target }) => of.choose(target.value === '' ? null : target.value)}
    >
      <option value="">{`${of.label}: ${say('list.any')}`}</option>
      {of.values.map((value) => (
        <option key={value}>{value}</option>
      ))}
    </select>
  );
}

function endedIn({ status }: RunCounts): number {
  return TERMINAL_STATUSES.reduce((sum, one) => sum + (status[one] ?? 0), 0);
}

function reasonsIn({ reason }: RunCounts, status: TerminalStatus): [EndReason, number][] {
  return REASONS_OF[status].flatMap((one): [EndReason, number][] => {
    const n = reason[one] ?? 0;
    return n === 0 ? [] : [[one, n]];
  });
}

function csvFor(say: Say, counts: RunCounts): string {
  const lines = TERMINAL_STATUSES.flatMap((status) =>
    reasonsIn(counts, status).map(([reason, n]) => [status, reason, n]),
  );
  return csvOf([['status', 'reason', say('outcomes.count')], ...lines]);
}
