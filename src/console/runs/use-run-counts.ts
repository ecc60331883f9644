/** How many runs there are of each kind, whatever the list is narrowed by. Asked for once, wherever it is shown. */
import { useQuery } from '@tanstack/react-query';
import { useServer } from '../api/context.ts';
import { useFirstReadDone } from '../api/first-read.ts';
import type { RunCounts } from '../api/shapes.ts';

/** Undefined: not read yet. */
export function useRunCounts(): RunCounts | undefined {
  const server = useServer();
  return useQuery({
    queryKey: [server.tenant, 'counts'],
    queryFn: ({ signal }) => server.counts({}, { signal }),
    enabled: useFirstReadDone(),
  }).data;
}
