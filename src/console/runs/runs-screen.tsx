/** The runs, with one of them open beside the list. */
import { lazy, useMemo, useState } from 'react';
import { runNameOf, screenAddress } from '../addresses.ts';
import { useServer } from '../api/context.ts';
import { useFirstRead } from '../api/first-read.ts';
import { useKeys } from '../keys.ts';
import { closeBeside } from '../parts/close-beside.ts';
import { Fetched } from '../parts/fetched.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Reading } from '../parts/empty.tsx';
import { withQuery, type Place } from '../router.tsx';
import { useSay } from '../words/words.ts';
import { BulkBar } from './bulk-bar.tsx';
import { Filters } from './filters.tsx';
import { NoRuns } from './no-runs.tsx';
import { filterOf } from './run-filter.ts';
import { RunList } from './run-list.tsx';
import { useRunList } from './use-run-list.ts';

const RunPanel = lazy(async () => ({ default: (await import('../run/run-panel.tsx')).RunPanel }));

export function RunsScreen({ place }: { readonly place: Place }) {
  const say = useSay();
  const { tenant } = useServer();
  const open = runNameOf(place.path.slice(3), place.query);
  const filterText = JSON.stringify(filterOf(place.query));
  const filter = useMemo(
    () => filterOf(new URLSearchParams(JSON.parse(filterText) as Record<string, string>)),
    [filterText],
  );
  const { rows, waiting, showNew, showBegun, pages } = useRunList(filter);
  useFirstRead(!pages.isPending);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const chosen = useMemo(() => rows.map(({ run }) => run).filter(({ id }) => selected.has(id)), [rows, selected]);
  const close = () => closeBeside(withQuery(place, { id: null }, screenAddress(tenant, 'runs')));
  useKeys({ Escape: open === undefined ? undefined : close });
  return (
    <div className="runs-screen" data-open={open !== undefined}>
      {/* Outside of the list, which a phone hides while a run is open. */}
      <h1 className="spoken">{say('nav.runs')}</h1>
      <section className="list" aria-label={say('nav.runs')}>
        <Filters place={place} />
        {waiting > 0 && (
          <div className="news">
            <button type="button" className="pill" onClick={showNew}>
              <span aria-hidden="true">↑ </span>
              {say.count('list.new', waiting)}
            </button>
          </div>
        )}
        {pages.isError && rows.length === 0 && <ProblemNote error={pages.error} again={() => void pages.refetch()} />}
        {pages.isPending && <Reading />}
        {pages.isSuccess && rows.length === 0 && <NoRuns place={place} />}
        {rows.length > 0 && (
          <RunList
            rows={rows}
            place={place}
            open={open}
            selected={selected}
            select={setSelected}
            readOn={() => {
              if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
            }}
          />
        )}
        <BulkBar chosen={chosen} filter={filter} clear={() => setSelected(new Set())} />
      </section>
      {open !== undefined && (
        <Fetched>
          <RunPanel
            key={`${open.subject}/${open.slot}`}
            name={open}
            place={place}
            onBegun={showBegun}
            onClose={close}
          />
        </Fetched>
      )}
    </div>
  );
}
