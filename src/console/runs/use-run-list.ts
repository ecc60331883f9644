/**
 * The runs a filter finds, page by page as the reader scrolls. What changes is read again where it is shown: the first
 * page as a whole, a run that is on the screen by its subject; the other pages stay as they were read.
 */
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useServer } from '../api/context.ts';
import { onTold } from '../api/live.ts';
import { FIRST_PAGE, type RunFilter } from '../api/server.ts';
import type { Page, RunRow } from '../api/shapes.ts';
import { stillFits } from './run-filter.ts';
import { admit, follow, NOTHING_SHOWN, settle, type SteadyList, type SteadyRow } from './steady-rows.ts';

/** More changes at once than this, and only the first page is read again. */
const LOOKED_UP_AT_ONCE = 20;

export function useRunList(filter: RunFilter) {
  const server = useServer();
  const { tenant } = server;
  const queries = useQueryClient();
  const pagesKey = useMemo(() => [tenant, 'run-pages', filter], [tenant, filter]);
  const pages = useInfiniteQuery({
    queryKey: pagesKey,
    queryFn: ({ pageParam, signal }) =>
      server.runs(filter, pageParam === undefined ? { limit: FIRST_PAGE } : { cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    // A list that is come back to begins anew.
    gcTime: 0,
    refetchInterval: false,
    refetchOnReconnect: false,
  });
  const head = useQuery({
    queryKey: [tenant, 'runs', filter],
    queryFn: ({ signal }) => server.runs(filter, { limit: FIRST_PAGE }, { signal }),
    enabled: pages.isSuccess && !pages.isPlaceholderData,
    initialData: () => queries.getQueryData<InfiniteData<Page<RunRow>>>(pagesKey)?.pages[0],
    refetchInterval: 10_000,
  });
  const found = useMemo(() => merged(pages.data?.pages ?? [], head.data), [pages.data, head.data]);
  const steady = useSteadyList({ found, more: pages.hasNextPage, filter, ready: !pages.isPlaceholderData });
  const { rows, waiting, restart } = steady;
  useEffect(() => steady.listen(rows), [steady, rows]);
  const showNew = () => {
    const first = head.data;
    if (first === undefined) return;
    queries.setQueryData<InfiniteData<Page<RunRow>>>(pagesKey, { pages: [first], pageParams: [undefined] });
    restart(first.items);
  };
  return { rows, waiting, showNew, showBegun: steady.showBegun, pages };
}

/** The pages as they were read, their first as it is now. */
function merged(pages: readonly Page<RunRow>[], head: Page<RunRow> | undefined): readonly RunRow[] {
  if (head === undefined) return pages.flatMap(({ items }) => items);
  const inHead = new Set(head.items.map(({ id }) => id));
  return [...head.items, ...pages.slice(1).flatMap(({ items }) => items.filter(({ id }) => !inHead.has(id)))];
}

interface Found {
  readonly found: readonly RunRow[];
  readonly more: boolean;
  readonly filter: RunFilter;
  /** False while another filter's rows still stand in for this one's. */
  readonly ready: boolean;
}
interface Shown {
  readonly steady: SteadyList;
  readonly of: Found;
  readonly lookedUp: ReadonlyMap<string, RunRow>;
}

const NONE: ReadonlyMap<string, RunRow> = new Map();

function useSteadyList(of: Found) {
  const server = useServer();
  const [lookedUp, setLookedUp] = useState(NONE);
  const [shown, setShown] = useState<Shown>({ steady: NOTHING_SHOWN, of, lookedUp });
  // Derived while rendering, so that no frame shows what is already old.
  const changed = shown.of.found !== of.found || shown.of.filter !== of.filter || shown.lookedUp !== lookedUp;
  if (of.ready && (changed || !shown.of.ready)) {
    const before = shown.of.filter === of.filter ? shown.steady : NOTHING_SHOWN;
    const fits = (run: RunRow) => stillFits(of.filter, run);
    setShown({ steady: settle(before, { ...of, lookedUp, fits }), of, lookedUp });
  }
  return useMemo(
    () => ({
      ...shown.steady,
      restart: (first: readonly RunRow[]) => {
        setLookedUp(NONE);
        setShown((now) => ({ ...now, steady: admit(now.steady, first) }));
      },
      showBegun: (run: RunRow) => setShown((now) => ({ ...now, steady: follow(now.steady, run) })),
      listen: (rows: readonly SteadyRow[]) =>
        onTold((told) => {
          const here = new Set(rows.map(({ run }) => run.subject));
          const subjects = new Set((told.get('run') ?? []).map(({ subject }) => subject as RunRow['subject'] | null));
          const concerned = [...subjects].filter((subject) => subject !== null && here.has(subject));
          if (concerned.length === 0 || concerned.length > LOOKED_UP_AT_ONCE) return Promise.resolve();
          return (
            Promise.all(concerned.map(async (subject) => server.runsAbout(subject ?? '')))
              .then((pages) => {
                const now = pages.flatMap(({ items }) => items.map((run) => [run.id, run] as const));
                setLookedUp((before) => new Map([...before, ...now]));
              })
              // Not read now: the next read of the page shows it.
              .catch(() => undefined)
          );
        }),
    }),
    [shown.steady, server],
  );
}
