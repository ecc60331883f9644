/** A list of the server, page by page. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useServer } from './context.ts';
import type { Page } from './shapes.ts';

/** @param about makes the key unique among the lists of its kind. */
export function usePages<Row>(
  kind: string,
  about: Readonly<Record<string, unknown>>,
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>,
) {
  const { tenant } = useServer();
  return useInfiniteQuery({
    queryKey: [tenant, kind, about],
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}
