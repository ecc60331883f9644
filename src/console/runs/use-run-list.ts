/**
 * The runs a filter finds, page by page as the reader scrolls. What changes is read again where it is shown: the first
 * page as a whole, a run that is on the screen by its subject; the other pages stay as they were read.
 */
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useServer } from '../api/context.ts';
import { onTold } from '../api/live.ts';
import { FIRST_PAGE, type RunFilter } from '../api/server.ts';
import type { Page, RunRow } from '../api/shapes.ts';
import { stillFits } from './run-filter.ts';
import {
  admit,
  follow,
  NOTHING_SHOWN,
  notReadSince,
  settle,
  type LookedUp,
  type ReadPage,
  type SteadyList,
  type SteadyRow,
} from './steady-rows.ts';

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
      timed(server.runs(filter, pageParam === undefined ? { limit: FIRST_PAGE } : { cursor: pageParam }, { signal })),
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
    queryFn: ({ signal }) => timed(server.runs(filter, { limit: FIRST_PAGE }, { signal })),
    enabled: pages.isSuccess && !pages.isPlaceholderData,
    initialData: () => queries.getQueryData<InfiniteData<ReadPage>>(pagesKey)?.pages[0],
    refetchInterval: 10_000,
  });
  const [first, read] = [head.data?.items, pages.data?.pages];
  const found = useMemo(() => merged(read ?? [], first), [read, first]);
  const steady = useSteadyList({ found, more: pages.hasNextPage, filter, ready: !pages.isPlaceholderData });
  const { rows, waiting, restart, forget } = steady;
  useEffect(() => steady.listen(rows), [steady, rows]);
  useEffect(
    () => forget([...(read ?? []).slice(1), ...(head.data === undefined ? [] : [head.data])]),
    [forget, read, head.data],
  );
  const showNew = () => {
    if (head.data === undefined) return;
    queries.setQueryData<InfiniteData<ReadPage>>(pagesKey, { pages: [head.data], pageParams: [undefined] });
    restart(head.data.items);
  };
  return { rows, waiting, showNew, showBegun: steady.showBegun, pages };
}

async function timed(answer: Promise<Page<RunRow>>): Promise<ReadPage> {
  const askedAt = performance.now();
  return { ...(await answer), askedAt };
}

/** The pages as they were read, their first as it is now. */
function merged(pages: readonly Page<RunRow>[], first: readonly RunRow[] | undefined): readonly RunRow[] {
  if (first === undefined) return pages.flatMap(({ items }) => items);
  const inHead = new Set(first.map(({ id }) => id));
  return [...first, ...pages.slice(1).flatMap(({ items }) => items.filter(({ id }) => !inHead.has(id)))];
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
  readonly lookedUp: ReadonlyMap<string, LookedUp>;
}

const NONE: ReadonlyMap<string, LookedUp> = new Map();

function useSteadyList(of: Found) {
  const server = useServer();
  const [lookedUp, setLookedUp] = useState(NONE);
  const forget = useCallback((read: readonly ReadPage[]) => setLookedUp((before) => notReadSince(before, read)), []);
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
      /** What was looked up before one of these pages was asked for that has it. */
      forget,
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
          const askedAt = performance.now();
          return (
            Promise.all(concerned.map(async (subject) => server.runsAbout(subject ?? '')))
              .then((pages) => {
                const now = pages.flatMap(({ items }) => items.map((run) => [run.id, { run, askedAt }] as const));
                setLookedUp((before) => new Map([...before, ...now]));
              })
              // Not read now: the next read of the page shows it.
              .catch(() => undefined)
          );
        }),
    }),
    [shown.steady, server, forget],
  );
}
