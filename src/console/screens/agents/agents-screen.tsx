/** The agents: which versions are at work, with how many runs, and the switch that silences each. */
import { useQuery } from '@tanstack/react-query';
import { screenAddress } from '../../addresses.ts';
import { useServer } from '../../api/context.ts';
import type { RunCounts } from '../../api/shapes.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty, Reading } from '../../parts/empty.tsx';
import { KillSwitch } from '../../parts/kill-switch.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Link } from '../../router.tsx';
import { useSay } from '../../words/words.ts';

interface AgentRuns {
  readonly agent: string;
  readonly live: number;
  readonly versions: readonly { readonly version: number | null; readonly count: number }[];
}

export function AgentsScreen() {
  const say = useSay();
  const server = useServer();
  const { tenant } = server;
  const all = useQuery({
    queryKey: [tenant, 'agents', {}],
    queryFn: ({ signal }) => server.counts({}, { signal }),
  });
  const live = useQuery({
    queryKey: [tenant, 'agents', { status: 'IN_PROGRESS' }],
    queryFn: ({ signal }) => server.counts({ status: 'IN_PROGRESS' }, { signal }),
  });
  const rows = all.data === undefined ? [] : agentsOf(all.data, live.data);
  return (
    <div className="screen">
      <header>
        <h1>{say('nav.agents')}</h1>
      </header>
      {all.isPending && <Reading />}
      {all.isError && <ProblemNote error={all.error} again={() => void all.refetch()} />}
      {all.isSuccess && rows.length === 0 && (
        <Empty title={say('runs.none')}>
          <p>{say('runs.attachHint')}</p>
          <pre>npx attache attach lead-qualification {tenant}/conversation/1</pre>
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          caption={say('nav.agents')}
          rows={rows}
          idOf={({ agent }) => agent}
          columns={[
            { id: 'agent', header: say('column.agent'), cell: ({ agent }) => agent },
            {
              id: 'live',
              header: say('column.live'),
              isNumber: true,
              cell: ({ agent, live: n }) => (
                <Link to={screenAddress(tenant, 'runs', { agent, status: 'IN_PROGRESS' })}>{n}</Link>
              ),
            },
            {
              id: 'versions',
              header: say('agents.versions'),
              cell: ({ agent, versions }) => (
                <span className="bar">
                  {versions.map(({ version, count }) =>
                    version === null ? null : (
                      <Link
                        key={version}
                        to={screenAddress(tenant, 'runs', { agent, version: String(version) })}
                      >{`v${version} (${count})`}</Link>
                    ),
                  )}
                </span>
              ),
            },
            {
              id: 'switch',
              header: say('column.state'),
              cell: ({ agent, live: n }) => (
                <KillSwitch covers={{ scope: 'agent', key: agent }} name={agent} touches={n} />
              ),
            },
          ]}
        />
      )}
    </div>
  );
}

function agentsOf(all: RunCounts, live: RunCounts | undefined): readonly AgentRuns[] {
  return [...new Set(all.agents.map(({ agent }) => agent))].map((agent) => ({
    agent,
    live: (live?.agents ?? []).filter((one) => one.agent === agent).reduce((sum, { count }) => sum + count, 0),
    versions: all.agents.filter((one) => one.agent === agent),
  }));
}
