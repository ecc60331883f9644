/**
 * One conversation's agent, small enough for the side of a CRM's page. Its token is in the address, is for this
 * conversation alone, and says what may be done; no cookie goes along. A stream cannot carry the token, so it asks.
 */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { createAsk, Refused } from '../api/ask.ts';
import { connect, ConnectionProvider } from '../api/context.ts';
import { readSession } from '../api/session.ts';
import { Reading } from '../parts/empty.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Status } from '../parts/status.tsx';
import { Toasts } from '../parts/toasts.tsx';
import { EndNote } from '../run/end-note.tsx';
import { NextWake } from '../run/next-wake.tsx';
import { RunActs } from '../run/run-acts.tsx';
import { TimelineLine } from '../run/timeline-line.tsx';
import { useRun } from '../run/use-run.ts';
import { useTimeline } from '../run/use-timeline.ts';
import { useSay } from '../words/words.ts';
import type { Run } from '../api/shapes.ts';

/** Soon enough for somebody who waits for an agent to fall silent; a shift's panel asks five thousand times. */
const ASK_EVERY_MS = 4_000;
/** Lines of the timeline that fit beside a conversation. */
const LINES = 6;

export function EmbedPage({ conversation, token }: { readonly conversation: string; readonly token: string }) {
  const say = useSay();
  const ask = useMemo(() => createAsk({ token }), [token]);
  const session = useQuery({
    queryKey: ['session', token],
    queryFn: async () => readSession(ask),
    refetchInterval: false,
    retry: false,
  });
  const tenant = session.data?.tenants[0]?.id;
  const connection = useMemo(
    () => (session.data !== undefined && tenant !== undefined ? connect(ask, session.data, tenant) : undefined),
    [ask, session.data, tenant],
  );
  const isOver = session.error instanceof Refused && session.error.problem.status === 401;
  return (
    <main className="panel">
      <h1 className="spoken">{say('panel.title')}</h1>
      {session.isPending && <Reading />}
      {isOver && <p className="note">{say('panel.over')}</p>}
      {session.isError && !isOver && <ProblemNote error={session.error} again={() => void session.refetch()} />}
      {connection && (
        <ConnectionProvider value={connection}>
          <Panel conversation={conversation} />
          <Toasts />
        </ConnectionProvider>
      )}
    </main>
  );
}

function Panel({ conversation }: { readonly conversation: string }) {
  const say = useSay();
  const run = useRun({ subject: `conversation/${conversation}`, slot: 'answering' }, ASK_EVERY_MS);
  if (run.isPending) return <Reading />;
  if (run.error instanceof Refused && run.error.problem.status === 404) return <p>{say('panel.none')}</p>;
  if (run.error instanceof Refused && run.error.problem.status === 401)
    return <p className="note">{say('panel.over')}</p>;
  if (run.named === undefined) return <ProblemNote error={run.error} again={() => void run.refetch()} />;
  return (
    <>
      <p className="bar">
        <strong>{run.named.agent}</strong>
        <Status run={run.named} max={run.named.policy?.maxConsecutiveFailures} />
      </p>
      <RunActs run={run.named} />
      {run.named.status === 'IN_PROGRESS' ? <NextWake run={run.named} /> : <EndNote run={run.named} />}
      <Latest run={run.named} />
    </>
  );
}

function Latest({ run }: { readonly run: Run }) {
  const say = useSay();
  const { entries = [] } = useTimeline(run);
  if (entries.length === 0) return null;
  return (
    <section className="timeline" aria-label={say('panel.latest')}>
      <h2>{say('panel.latest')}</h2>
      <ol>
        {entries
          .slice(-LINES)
          .toReversed()
          .map((entry) => (
            <TimelineLine key={entry.entryId} entry={entry} run={run} />
          ))}
      </ol>
    </section>
  );
}
