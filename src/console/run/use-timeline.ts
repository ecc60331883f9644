/** A run's timeline, read once for all who show a part of it. */
import { useQuery } from '@tanstack/react-query';
import { useServer } from '../api/context.ts';
import type { Run } from '../api/shapes.ts';

export function useTimeline({ subject, slot, id }: Pick<Run, 'subject' | 'slot' | 'id'>) {
  const server = useServer();
  return useQuery({
    queryKey: [server.tenant, 'timeline', subject, slot, id],
    queryFn: ({ signal }) => server.timeline({ subject, slot, id }, { signal }),
    refetchInterval: 10_000,
  });
}
