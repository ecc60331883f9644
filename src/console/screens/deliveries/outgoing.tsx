/** Webhooks out: what became of each, every attempt, and sending it once more. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { WEBHOOK_STATES } from '../../../domain/webhooks.ts';
import { useMay, useServer } from '../../api/context.ts';
import type { WebhookDelivery } from '../../api/shapes.ts';
import { usePages } from '../../api/use-pages.ts';
import { Empty, Reading } from '../../parts/empty.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { RecordList } from '../../parts/record-list.tsx';
import { Mark } from '../../parts/status.tsx';
import { useDoing } from '../../parts/use-doing.ts';
import { go, withQuery, type Place } from '../../router.tsx';
import { Instant } from '../../time/instant.tsx';
import { lasting } from '../../time/format.ts';
import { useSay } from '../../words/words.ts';

const TONES = { pending: 'still', delivered: 'goal', failed: 'trouble', held: 'held' } as const;

export function Outgoing({ place }: { readonly place: Place }) {
  const say = useSay();
  const server = useServer();
  const status = place.query.get('status') ?? '';
  const filter = status === '' ? {} : { status };
  const deliveries = usePages('deliveries', filter, (cursor, signal) => server.deliveries(filter, cursor, { signal }));
  return (
    <>
      <p className="bar">
        <select
          aria-label={say('column.state')}
          value={status}
          onChange={({ target }) => go(withQuery(place, { status: target.value }), 'replace')}
        >
          <option value="">{`${say('column.state')}: ${say('list.any')}`}</option>
          {WEBHOOK_STATES.map((state) => (
            <option key={state} value={state}>
              {say(`delivery.${state}`)}
            </option>
          ))}
        </select>
      </p>
      <RecordList
        caption={say('outgoing.title')}
        query={deliveries}
        idOf={({ id }) => id}
        empty={<Empty title={say('outgoing.none')}>{say('outgoing.noneHint')}</Empty>}
        columns={[
          { id: 'at', header: say('column.when'), cell: ({ createdAt }) => <Instant at={createdAt} /> },
          { id: 'type', header: say('column.what'), cell: (delivery) => <What delivery={delivery} /> },
          { id: 'endpoint', header: say('column.endpoint'), cell: ({ endpoint }) => endpoint },
          {
            id: 'state',
            header: say('column.state'),
            cell: ({ state, lastError, nextAttemptAt }) => (
              <>
                <Mark tone={TONES[state]}>{say(`delivery.${state}`)}</Mark>
                {lastError !== null && <div className="quiet">{say.told(lastError)}</div>}
                {nextAttemptAt !== null && (
                  <div className="quiet">
                    {say('outgoing.next')} <Instant at={nextAttemptAt} />
                  </div>
                )}
              </>
            ),
          },
          { id: 'acts', header: say('column.acts'), cell: (delivery) => <Again delivery={delivery} /> },
        ]}
      />
    </>
  );
}

function What({ delivery: { id, type, subject } }: { readonly delivery: WebhookDelivery }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {type} <span className="quiet">{subject}</span>
      </summary>
      {open && <Attempts id={id} />}
    </details>
  );
}

function Attempts({ id }: { readonly id: string }) {
  const say = useSay();
  const server = useServer();
  const one = useQuery({
    queryKey: [server.tenant, 'delivery', { id }],
    queryFn: ({ signal }) => server.delivery(id, { signal }),
  });
  if (one.isPending) return <Reading />;
  if (one.isError) return <ProblemNote error={one.error} />;
  return (
    <>
      <ol>
        {one.data.log.map(({ number, at, status, error, durationMs }) => (
          <li key={`${at} ${number}`}>
            {number}. <Instant at={at} /> · {status ?? say('outgoing.noAnswer')} · {lasting(durationMs, say.language)}
            {error !== null && ` · ${say.told(error)}`}
          </li>
        ))}
      </ol>
      <pre>{JSON.stringify(one.data.body, null, 2)}</pre>
    </>
  );
}

function Again({ delivery: { id, state } }: { readonly delivery: WebhookDelivery }) {
  const say = useSay();
  const server = useServer();
  const mayAct = useMay('operator');
  const { doing, run } = useDoing();
  if (!mayAct || state === 'pending') return null;
  return (
    <button
      type="button"
      disabled={doing}
      onClick={() => run(async () => server.redeliver(id), say('outgoing.redelivered'))}
    >
      {say('outgoing.again')}
    </button>
  );
}
