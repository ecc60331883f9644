/** One run with whom it is about: the run itself knows only the conversation. */
import { useQuery } from '@tanstack/react-query';
import type { RunName } from '../addresses.ts';
import { useServer } from '../api/context.ts';
import type { Run, RunRow } from '../api/shapes.ts';

export type NamedRun = Run & Pick<RunRow, 'contact'>;

/** @param everyMs for a page that no stream tells. */
export function useRun(name: RunName, everyMs = 10_000) {
  const server = useServer();
  const run = useQuery({
    queryKey: [server.tenant, 'run', name.subject, name.slot, name.id ?? null],
    queryFn: ({ signal }) => server.run(name, { signal }),
    refetchInterval: everyMs,
  });
  const conversation = useConversation(name.subject).data;
  const named: NamedRun | undefined = run.data && { ...run.data, contact: conversation?.contact ?? null };
  return { ...run, named, conversation };
}

/** Whose and with whom; asks nothing about the business. */
export function useConversation(subject: string) {
  const server = useServer();
  const id = subject.startsWith('conversation/') ? subject.slice('conversation/'.length) : undefined;
  return useQuery({
    queryKey: [server.tenant, 'conversation', subject],
    queryFn: ({ signal }) => server.conversation(id ?? '', { signal }),
    enabled: id !== undefined,
    // A conversation that nobody has spoken of yet is not known: the run has it by its id.
    retry: false,
  });
}
