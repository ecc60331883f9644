/** Where the tenant is told what happened; switched off by itself (410) or by a person. */
import { useQuery } from '@tanstack/react-query';
import { useMay, useServer } from '../../api/context.ts';
import type { Endpoint } from '../../api/shapes.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty, Reading } from '../../parts/empty.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Mark } from '../../parts/status.tsx';
import { useDoing } from '../../parts/use-doing.ts';
import { Instant } from '../../time/instant.tsx';
import { useSay } from '../../words/words.ts';

export function Endpoints() {
  const say = useSay();
  const server = useServer();
  const endpoints = useQuery({
    queryKey: [server.tenant, 'endpoints'],
    queryFn: ({ signal }) => server.endpoints({ signal }),
  });
  if (endpoints.isPending) return <Reading />;
  if (endpoints.isError) return <ProblemNote error={endpoints.error} again={() => void endpoints.refetch()} />;
  if (endpoints.data.length === 0) return <Empty title={say('endpoints.none')}>{say('endpoints.noneHint')}</Empty>;
  return (
    <DataTable
      caption={say('endpoints.title')}
      rows={endpoints.data}
      idOf={({ id }) => id}
      columns={[
        {
          id: 'id',
          header: say('column.endpoint'),
          cell: ({ id, url }) => (
            <>
              {id} <span className="quiet">{url}</span>
            </>
          ),
        },
        { id: 'types', header: say('column.what'), cell: ({ types }) => types?.join(', ') ?? say('list.any') },
        {
          id: 'state',
          header: say('column.state'),
          cell: ({ enabled, off }) => (
            <>
              <Mark tone={enabled ? 'goal' : 'held'}>{say(enabled ? 'switch.on' : 'switch.off')}</Mark>
              {off && (
                <div className="quiet">
                  <Instant at={off.since} /> · {say.told(off.by)}
                  {off.reason !== null && ` · ${off.by === 'endpoint' ? say.told(off.reason) : off.reason}`}
                </div>
              )}
            </>
          ),
        },
        { id: 'acts', header: say('column.acts'), cell: (endpoint) => <Turn endpoint={endpoint} /> },
      ]}
    />
  );
}

function Turn({ endpoint: { id, enabled } }: { readonly endpoint: Endpoint }) {
  const say = useSay();
  const server = useServer();
  const mayTurn = useMay('admin');
  const { doing, run } = useDoing();
  if (!mayTurn) return null;
  return (
    <button
      type="button"
      disabled={doing}
      className={enabled ? 'danger' : undefined}
      onClick={() =>
        run(
          async () => server.switchEndpoint(id, enabled ? { enabled: false } : { enabled: true, redeliverHeld: true }),
          say(enabled ? 'endpoints.turnedOff' : 'endpoints.turnedOn', { id }),
        )
      }
    >
      {say(enabled ? 'switch.turnOff' : 'endpoints.turnOn')}
    </button>
  );
}
