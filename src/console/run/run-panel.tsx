/** One run: what it does and may be told, why it wakes when it wakes, what happened, and what was said. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { runAddress, type RunName } from '../addresses.ts';
import { useServer } from '../api/context.ts';
import { Refused } from '../api/ask.ts';
import type { Conversation, Run } from '../api/shapes.ts';
import { Reading } from '../parts/empty.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Status } from '../parts/status.tsx';
import { go, Link, withQuery, type Place } from '../router.tsx';
import { Who } from '../runs/run-name.tsx';
import { Instant } from '../time/instant.tsx';
import { useSay } from '../words/words.ts';
import { EndNote } from './end-note.tsx';
import { NextWake } from './next-wake.tsx';
import { RunActs } from './run-acts.tsx';
import { RunInside } from './run-inside.tsx';
import { Timeline } from './timeline.tsx';
import { Transcript } from './transcript.tsx';
import { useRun } from './use-run.ts';

export interface RunPanelProps {
  readonly name: RunName;
  readonly place: Place;
  /** A run was begun by handing back the one that is shown. */
  readonly onBegun: (run: Run) => void;
  readonly onClose: () => void;
}

export function RunPanel({ name, place, onBegun, onClose }: RunPanelProps) {
  const say = useSay();
  const run = useRun(name);
  const { named, conversation } = run;
  const isEarlier = useIsEarlier(name, named);
  const heading = useRef<HTMLHeadingElement>(null);
  const isThere = named !== undefined;
  useEffect(() => {
    // A reader who opened it by the keyboard goes on inside it.
    if (isThere) heading.current?.focus();
  }, [isThere]);
  const missing = run.error instanceof Refused && run.error.problem.status === 404;
  return (
    <section className="run" aria-label={say('run.label')}>
      {run.isPending && <Reading />}
      {run.isError && !missing && <ProblemNote error={run.error} again={() => void run.refetch()} />}
      {missing && <Missing onClose={onClose} />}
      {named && (
        <>
          <header className="run-head">
            <h2 ref={heading} tabIndex={-1}>
              <Who run={named} />
              <span className="quiet">
                {' '}
                · {named.agent}
                {named.agentVersion !== null && ` v${named.agentVersion}`}
              </span>
            </h2>
            <Status run={named} max={named.policy?.maxConsecutiveFailures} />
            <span className="quiet">
              {say('run.attached', { when: '' })}
              <Instant at={named.attachedAt} />
            </span>
            {conversation && <Owner conversation={conversation} />}
            <RunActs
              run={named}
              isEarlier={isEarlier}
              onHandedBack={(begun) => {
                onBegun(begun);
                go(withQuery(place, { id: null }));
              }}
            />
            <button type="button" className="plain close" aria-label={say('act.close')} onClick={onClose}>
              ×
            </button>
          </header>
          <div className="run-body">
            {isEarlier && <Earlier run={named} place={place} />}
            {named.status === 'IN_PROGRESS' ? <NextWake run={named} /> : <EndNote run={named} />}
            <div className="run-columns">
              <Timeline run={named} />
              <Transcript run={named} />
            </div>
            <RunInside run={named} isLatest={name.id === undefined} />
          </div>
        </>
      )}
    </section>
  );
}

/** Who may speak in the conversation, and until when freely. */
function Owner({ conversation: { owner, window } }: { readonly conversation: Conversation }) {
  const say = useSay();
  return (
    <span className="quiet">
      {say(`owner.${owner}`)}
      {window && (
        <>
          {' · '}
          {say(window.open ? 'window.open' : 'window.closed')} <Instant at={window.until} />
        </>
      )}
    </span>
  );
}

function Missing({ onClose }: { readonly onClose: () => void }) {
  const say = useSay();
  return (
    <div className="empty">
      <h2>{say('run.missing')}</h2>
      <button type="button" onClick={onClose}>
        {say('act.close')}
      </button>
    </div>
  );
}

/** Whether the attachment that the address names has a newer one after it. */
function useIsEarlier({ subject, slot, id }: RunName, named: Run | undefined): boolean {
  const server = useServer();
  const latest = useQuery({
    queryKey: [server.tenant, 'run', subject, slot, null],
    queryFn: ({ signal }) => server.run({ subject, slot }, { signal }),
    enabled: id !== undefined,
  });
  return id !== undefined && named !== undefined && latest.data !== undefined && latest.data.id !== named.id;
}

/** The latest is a click away. */
function Earlier({ run: { subject, slot }, place }: { readonly run: Run; readonly place: Place }) {
  const say = useSay();
  const { tenant } = useServer();
  return (
    <p className="note">
      {say('run.newer')} <Link to={runAddress(tenant, { subject, slot }, place.query)}>{say('run.toNewer')}</Link>
    </p>
  );
}
