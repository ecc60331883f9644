/** Is everything there, is it on time, do the channels deliver; and the switches that stop it all. */
import { useQuery } from '@tanstack/react-query';
import { useConnection } from '../../api/context.ts';
import { screenAddress } from '../../addresses.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty, Reading } from '../../parts/empty.tsx';
import { KillSwitch, useSwitches } from '../../parts/kill-switch.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Mark } from '../../parts/status.tsx';
import { Link } from '../../router.tsx';
import { Instant } from '../../time/instant.tsx';
import { lasting } from '../../time/format.ts';
import { useSay } from '../../words/words.ts';

interface Ready {
  readonly status: string;
  readonly checks: Readonly<Record<'temporal' | 'database' | 'searchAttributes', string>>;
}

export function HealthScreen() {
  const say = useSay();
  return (
    <div className="screen">
      <header>
        <h1>{say('nav.health')}</h1>
      </header>
      <Parts />
      <Lag />
      <Channels />
    </div>
  );
}

function Parts() {
  const say = useSay();
  const { server } = useConnection();
  const ready = useQuery({
    queryKey: [server.tenant, 'ready'],
    queryFn: async ({ signal }) => (await (await fetch('/readyz', { signal })).json()) as Ready,
    refetchInterval: 15_000,
  });
  return (
    <section>
      <h2>{say('health.parts')}</h2>
      {ready.isPending && <Reading />}
      {ready.isError && <ProblemNote error={ready.error} again={() => void ready.refetch()} />}
      {ready.data && (
        <ul>
          {(Object.entries(ready.data.checks) as [keyof Ready['checks'], string][]).map(([part, found]) => (
            <li key={part} className="bar">
              <Mark tone={found === 'ok' ? 'goal' : 'trouble'}>{say(`health.${part}`)}</Mark>
              {found !== 'ok' && <span>{say.told(found)}</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Half of the lateness that is logged and counted where no policy says otherwise (`lagAlert`): more workers are needed. */
const LATE_MS = 30_000;

function Lag() {
  const say = useSay();
  const { server, session } = useConnection();
  const stats = useQuery({ queryKey: [server.tenant, 'stats'], queryFn: ({ signal }) => server.stats({ signal }) });
  const switches = useSwitches();
  const live = stats.data?.byStatus.IN_PROGRESS ?? 0;
  const name = session.tenants.find(({ id }) => id === server.tenant)?.name ?? server.tenant;
  return (
    <section>
      <h2>{say('health.fleet')}</h2>
      {stats.isError && <ProblemNote error={stats.error} again={() => void stats.refetch()} />}
      {stats.data && (
        <p className="bar">
          <Link to={screenAddress(server.tenant, 'runs', { status: 'IN_PROGRESS' })}>
            {say.count('health.live', live)}
          </Link>
          <Mark tone={stats.data.lag.maxMs > LATE_MS ? 'trouble' : 'goal'}>
            {stats.data.lag.overdue === 0
              ? say('health.onTime')
              : say.count('health.late', stats.data.lag.overdue, { time: lasting(stats.data.lag.maxMs, say.language) })}
          </Mark>
        </p>
      )}
      <div className="bar">
        <span>{say('health.whole', { name })}</span>
        <KillSwitch covers={{ scope: 'tenant', key: '*' }} name={name} touches={live} />
      </div>
      {switches.data
        ?.filter(({ scope }) => scope === 'agent')
        .map(({ key }) => (
          <div className="bar" key={key}>
            <span>{say('health.agentOff', { name: key })}</span>
            <KillSwitch covers={{ scope: 'agent', key }} name={key} />
          </div>
        ))}
    </section>
  );
}

function Channels() {
  const say = useSay();
  const { server } = useConnection();
  const channels = useQuery({
    queryKey: [server.tenant, 'channels'],
    queryFn: ({ signal }) => server.channels({ signal }),
  });
  return (
    <section>
      <h2>{say('health.channels')}</h2>
      {channels.isPending && <Reading />}
      {channels.isError && <ProblemNote error={channels.error} again={() => void channels.refetch()} />}
      {channels.data?.length === 0 && <Empty title={say('health.noChannel')}>{say('health.noChannelHint')}</Empty>}
      {channels.data !== undefined && channels.data.length > 0 && (
        <DataTable
          caption={say('health.channels')}
          rows={channels.data}
          idOf={({ key }) => key}
          columns={[
            {
              id: 'key',
              header: say('column.channel'),
              cell: ({ key, kind, sends = true }) => (
                <>
                  {key} {key !== kind && <span className="quiet">{kind}</span>}
                  {!sends && <span className="quiet">{say('health.onlyTells')}</span>}
                </>
              ),
            },
            {
              id: 'switch',
              header: say('column.state'),
              cell: ({ key, shut }) => (
                <>
                  <KillSwitch covers={{ scope: 'channel', key }} name={key} />
                  {shut != null && (
                    <p>
                      <Mark tone="trouble">{say('health.shut', { code: shut.code })}</Mark> <Instant at={shut.since} />
                    </p>
                  )}
                </>
              ),
            },
            {
              id: 'delivered',
              header: say('health.delivered'),
              cell: ({ delivered }) => {
                const month = delivered.at(-1);
                return month === undefined ? '–' : `${month.service + month.template} (${month.month})`;
              },
              isNumber: true,
            },
            {
              id: 'lately',
              header: say('health.lately'),
              cell: ({ lately: { sent, failed } }) => (
                <Mark tone={failed > 0 ? 'trouble' : 'still'}>{say('health.sentFailed', { sent, failed })}</Mark>
              ),
            },
            {
              id: 'heard',
              header: say('health.heard'),
              cell: ({ lastInboundAt }) => (lastInboundAt === null ? '–' : <Instant at={lastInboundAt} />),
            },
          ]}
        />
      )}
    </section>
  );
}
