/** How runs end: by day, agent and version, with rates, the way there, what it cost and how late it was. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useServer } from '../../api/context.ts';
import type { OutcomesQuery } from '../../api/server.ts';
import type { Outcomes } from '../../api/shapes.ts';
import { Empty, Reading } from '../../parts/empty.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { go, withQuery } from '../../router.tsx';
import { lasting, money } from '../../time/format.ts';
import { useSay } from '../../words/words.ts';
import type { ScreenProps } from '../screens.tsx';
import { EndsByDay } from './ends-by-day.tsx';
import { EndsBy } from './ends-by.tsx';
import { Funnel } from './funnel.tsx';
import { WhyTheyEnd } from './why-they-end.tsx';

const SPANS = ['7', '30', '90'] as const;
const DAY_MS = 86_400_000;

export function OutcomesScreen({ place }: ScreenProps) {
  const say = useSay();
  const server = useServer();
  const days = place.query.get('days') ?? '30';
  const agent = place.query.get('agent') ?? undefined;
  const version = place.query.get('version') ?? undefined;
  const query = useMemo((): OutcomesQuery => {
    const from = new Date(Date.now() - Number(days) * DAY_MS).toISOString();
    return { by: 'day', from, agent, version };
  }, [days, agent, version]);
  const outcomes = useOutcomes(query);
  const agents = useOutcomes({ ...query, by: agent === undefined ? 'agent' : 'version' });
  const choose = (changes: Record<string, string | null>) => go(withQuery(place, changes), 'replace');
  const data = outcomes.data;
  return (
    <div className="screen">
      <header>
        <h1>{say('nav.outcomes')}</h1>
        <p>{say('outcomes.about')}</p>
      </header>
      <div className="bar" role="group" aria-label={say('runs.filters')}>
        <select
          aria-label={say('outcomes.span')}
          value={days}
          onChange={({ target }) => choose({ days: target.value })}
        >
          {SPANS.map((span) => (
            <option key={span} value={span}>
              {say('outcomes.days', { n: Number(span) })}
            </option>
          ))}
        </select>
        {agent !== undefined && (
          <button type="button" onClick={() => choose({ agent: null, version: null })}>
            {agent} {version !== undefined && `v${version}`} <span aria-hidden="true">×</span>
            <span className="spoken">{say('list.any')}</span>
          </button>
        )}
        <a className="button" href={server.outcomesCsv(query)} download>
          {say('outcomes.csv')}
        </a>
      </div>
      {outcomes.isPending && <Reading />}
      {outcomes.isError && <ProblemNote error={outcomes.error} again={() => void outcomes.refetch()} />}
      {data?.total.ended === 0 && <Empty title={say('outcomes.none')}>{say('outcomes.noneHint')}</Empty>}
      {data !== undefined && data.total.ended > 0 && (
        <>
          <Figures outcomes={data} />
          <EndsByDay outcomes={data} from={data.from} agent={agent} version={version} />
          <WhyTheyEnd total={data.total} from={data.from} agent={agent} version={version} />
        </>
      )}
      {data !== undefined && data.funnel.attached > 0 && <Funnel funnel={data.funnel} />}
      {agents.data !== undefined && agents.data.items.length > 0 && (
        <EndsBy groups={agents.data.items} agent={agent} place={place} />
      )}
    </div>
  );
}

function useOutcomes(query: OutcomesQuery) {
  const server = useServer();
  return useQuery({
    queryKey: [server.tenant, 'outcomes', query],
    queryFn: ({ signal }) => server.outcomes(query, { signal }),
  });
}

function Figures({ outcomes: { total, lag } }: { readonly outcomes: Outcomes }) {
  const say = useSay();
  const percent = new Intl.NumberFormat(say.language, { style: 'percent', maximumFractionDigits: 1 });
  const rate = (of: number | null) => (of === null ? '–' : percent.format(of));
  const time = (ms: number | null) => (ms === null ? '–' : lasting(ms, say.language));
  const figures: readonly (readonly [string, string, string?])[] = [
    [say('outcomes.endedLabel'), String(total.ended)],
    [say('outcomes.completion'), rate(total.completion), say('outcomes.completionMeans')],
    [say('outcomes.takeover'), rate(total.takeover)],
    [say('outcomes.failure'), rate(total.failure)],
    [say('outcomes.spend'), total.costUsd === null ? '–' : money(total.costUsd, say.language)],
    [say('outcomes.lag'), `${time(lag.p50Ms)} / ${time(lag.p99Ms)}`],
  ];
  return (
    <dl className="figures">
      {figures.map(([name, value, means]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          {means && <dd className="means">{means}</dd>}
        </div>
      ))}
    </dl>
  );
}
