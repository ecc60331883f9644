/** The agents: which versions are at work, with how many runs, their bounds, and the switch that silences each. */
import { useQuery } from '@tanstack/react-query';
import type { Json } from '../../../domain/json.ts';
import { screenAddress } from '../../addresses.ts';
import { useServer } from '../../api/context.ts';
import type { AgentView } from '../../api/shapes.ts';
import { Reading } from '../../parts/empty.tsx';
import { KillSwitch } from '../../parts/kill-switch.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Tree } from '../../parts/tree.tsx';
import { Link } from '../../router.tsx';
import { useSay } from '../../words/words.ts';

export function AgentsScreen() {
  const say = useSay();
  const server = useServer();
  const agents = useQuery({
    queryKey: [server.tenant, 'agents'],
    queryFn: ({ signal }) => server.agents({ signal }),
  });
  return (
    <div className="screen">
      <header>
        <h1>{say('nav.agents')}</h1>
        <p>{say('agents.about')}</p>
      </header>
      {agents.isPending && <Reading />}
      {agents.isError && <ProblemNote error={agents.error} again={() => void agents.refetch()} />}
      {agents.data?.map((agent) => (
        <Agent key={agent.key} agent={agent} />
      ))}
    </div>
  );
}

function Agent({
  agent: { key, version, title, attachesTo, wakeOn, policy, configSchema, runs },
}: {
  readonly agent: AgentView;
}) {
  const say = useSay();
  const { tenant } = useServer();
  const live = runs.filter(({ status }) => status === 'IN_PROGRESS');
  const liveCount = live.reduce((sum, { count }) => sum + count, 0);
  return (
    <section className="agent" aria-label={key}>
      <h2>
        {key}{' '}
        <span className="quiet">
          v{version} · {say.told(title)}
        </span>
      </h2>
      <p className="bar">
        <Link to={screenAddress(tenant, 'runs', { agent: key, status: 'IN_PROGRESS' })}>
          {say.count('health.live', liveCount)}
        </Link>
        {live.map(({ version: of, count }) =>
          of === null ? null : (
            <Link
              key={of}
              to={screenAddress(tenant, 'runs', { agent: key, status: 'IN_PROGRESS', version: String(of) })}
            >{`v${of}: ${count}`}</Link>
          ),
        )}
        <Link to={screenAddress(tenant, 'outcomes', { agent: key })}>{say('nav.outcomes')}</Link>
        <span className="quiet">
          {say(`agents.on.${attachesTo}`)}
          {wakeOn.length > 0 && ` · ${say('agents.wakeOn')} ${wakeOn.join(', ')}`}
        </span>
      </p>
      <KillSwitch covers={{ scope: 'agent', key }} name={key} touches={liveCount} />
      <details>
        <summary>{say('run.policy')}</summary>
        <Tree value={policy} />
      </details>
      <details>
        <summary>{say('run.config')}</summary>
        <Tree value={configSchema as Json} />
      </details>
    </section>
  );
}
