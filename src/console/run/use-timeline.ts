/** A run's timeline, read once for all who show a part of it: its newest stretch, and older ones as they are asked for. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useServer } from '../api/context.ts';
import type { Run } from '../api/shapes.ts';

/** Some days of a busy run; every change reads all stretches that are shown again. */
const STRETCH = 100;

/** `entries`: oldest first; undefined until they are read. */
export function useTimeline({ subject, slot, id }: Pick<Run, 'subject' | 'slot' | 'id'>) {
  const server = useServer();
  const pages = useInfiniteQuery({
    queryKey: [server.tenant, 'timeline', subject, slot, id],
    queryFn: ({ pageParam, signal }) =>
      server.timeline({ subject, slot, id }, { cursor: pageParam, limit: STRETCH }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: 10_000,
  });
  return { ...pages, entries: pages.data?.pages.toReversed().flatMap(({ items }) => items) };
}
