/** Investigations by how they stand; those that wait for a decision unless something else is asked for. */
import { INVESTIGATION_STATUSES } from '../../../domain/investigations.ts';
import type { Proposal } from '../../../domain/schemas/investigations.ts';
import { investigationAddress } from '../../addresses.ts';
import { useServer } from '../../api/context.ts';
import { usePages } from '../../api/use-pages.ts';
import { Empty, Reading } from '../../parts/empty.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { go, Link, withQuery, type Place } from '../../router.tsx';
import { price } from '../../time/format.ts';
import { Instant } from '../../time/instant.tsx';
import { useSay } from '../../words/words.ts';
import { Risk } from './actions.tsx';
import { Standing } from './standing.tsx';
import { WAITING } from './waiting.ts';

export function InvestigationList({ place, open }: { readonly place: Place; readonly open: string | undefined }) {
  const say = useSay();
  const server = useServer();
  const asked = place.query.get('status') ?? WAITING;
  const status = asked === 'all' ? undefined : asked;
  const found = usePages('investigations', { status }, (cursor, signal) =>
    server.investigations({ status }, cursor, { signal }),
  );
  const items = found.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <div className="filters bar">
        <select
          aria-label={say('column.state')}
          value={asked}
          onChange={({ target }) => go(withQuery(place, { status: target.value }), 'replace')}
        >
          <option value="all">{`${say('column.state')}: ${say('list.any')}`}</option>
          {INVESTIGATION_STATUSES.map((one) => (
            <option key={one} value={one}>
              {say(`investigation.${one}`)}
            </option>
          ))}
        </select>
      </div>
      {found.isPending && <Reading />}
      {found.isError && <ProblemNote error={found.error} again={() => void found.refetch()} />}
      {found.isSuccess && items.length === 0 && (
        <Empty title={say(status === WAITING ? 'investigations.noneWaiting' : 'investigations.none')}>
          <p>{say('investigations.noneHint')}</p>
        </Empty>
      )}
      <ul className="inbox-list">
        {items.map((one) => (
          <li key={one.id} data-open={one.id === open || undefined}>
            <Link to={investigationAddress(server.tenant, one.id, place.query)} aria-current={one.id === open}>
              <span className="inbox-title">{say.told(one.proposal?.summary ?? one.summary)}</span>
            </Link>
            <span className="bar">
              <Standing of={one} />
              <span className="quiet">{one.agent}</span>
              {one.status === WAITING && one.proposal !== null && <Terms proposal={one.proposal} />}
              {one.occurrences > 1 && (
                <span className="quiet">{say.count('investigations.seen', one.occurrences)}</span>
              )}
              <span className="quiet">
                <Instant at={one.updatedAt} />
              </span>
            </span>
          </li>
        ))}
      </ul>
      {found.hasNextPage && (
        <button type="button" onClick={() => void found.fetchNextPage()}>
          {say('list.more')}
        </button>
      )}
    </>
  );
}

/** What tells which to decide first: what it costs, how grave it is, until when. */
function Terms({ proposal: { cost, risk, expiresAt } }: { readonly proposal: Proposal }) {
  const say = useSay();
  return (
    <>
      {cost !== null && <span>{price(cost, say.language)}</span>}
      <span>
        {say('investigation.risk')} <Risk risk={risk} />
      </span>
      <span className="quiet">
        {say('investigation.expires')} <Instant at={expiresAt} />
      </span>
    </>
  );
}
