/** One investigation, read like a pull request: what was seen, what will be done, what changed, who agreed. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Investigation } from '../../../domain/schemas/investigations.ts';
import { runAddress } from '../../addresses.ts';
import { Refused } from '../../api/ask.ts';
import { useServer } from '../../api/context.ts';
import { Empty, Reading } from '../../parts/empty.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Mark } from '../../parts/status.tsx';
import { Link } from '../../router.tsx';
import { useNow } from '../../time/clock.ts';
import { Instant } from '../../time/instant.tsx';
import { useSay } from '../../words/words.ts';
import { Actions } from './actions.tsx';
import { Decide } from './decide.tsx';
import { Asked } from './asked.tsx';
import { Changed, EvidenceTable } from './evidence.tsx';
import { isOver, Standing } from './standing.tsx';

const UNDER_WAY: readonly string[] = ['investigating', 'approved', 'executing'];

export function InvestigationPanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const say = useSay();
  const server = useServer();
  const one = useQuery({
    queryKey: [server.tenant, 'investigation', { id }],
    queryFn: ({ signal }) => server.investigation(id, { signal }),
    // No stream tells of it, and what is under way moves on by itself.
    refetchInterval: ({ state }) => (UNDER_WAY.includes(state.data?.status ?? '') ? 2_000 : 10_000),
  });
  const heading = useRef<HTMLHeadingElement>(null);
  const isThere = one.data !== undefined;
  useEffect(() => {
    if (isThere) heading.current?.focus();
  }, [isThere]);
  const missing = one.error instanceof Refused && one.error.problem.status === 404;
  return (
    <section className="run" aria-label={say('investigation.label')}>
      <header className="run-head">
        <h2 ref={heading} tabIndex={-1}>
          {one.data ? say.told(one.data.summary) : say('investigation.label')}
        </h2>
        {one.data && <Standing of={one.data} />}
        <button type="button" className="plain close" aria-label={say('act.close')} onClick={onClose}>
          ×
        </button>
      </header>
      {one.isPending && <Reading />}
      {missing && <Empty title={say('investigation.missing')} />}
      {one.isError && !missing && <ProblemNote error={one.error} again={() => void one.refetch()} />}
      {one.data && <Body investigation={one.data} />}
      {one.data?.proposal && <Decide investigation={one.data} proposal={one.data.proposal} />}
    </section>
  );
}

function Body({ investigation }: { readonly investigation: Investigation }) {
  const say = useSay();
  const { tenant } = useServer();
  const now = useNow();
  const { proposal, openedBy, agent, openedAt, occurrences, reason, verification, decisions } = investigation;
  const isOfPerson = decisions.some((decision) => decision.reason === reason);
  return (
    <div className="run-body">
      <p className="quiet">
        <Link to={runAddress(tenant, openedBy)}>{agent}</Link> · {say('investigation.opened')} <Instant at={openedAt} />{' '}
        · {say.count('investigations.seen', occurrences)}
      </p>
      {reason !== null && reason !== verification?.note && (
        <p className="note">{isOfPerson ? reason : say.told(reason)}</p>
      )}
      {proposal !== null && (
        <>
          {proposal.changed.length > 0 && <Changed changed={proposal.changed} />}
          <section>
            <p>{say.told(proposal.summary)}</p>
            <details>
              <summary>{say('investigation.method')}</summary>
              <p>{say.told(proposal.method)}</p>
            </details>
          </section>
          <div className="run-body-part" data-gone={isOver(investigation, now) || undefined}>
            <EvidenceTable evidence={proposal.evidence} />
            <Actions proposal={proposal} investigation={investigation} />
          </div>
          <Asked investigation={investigation} />
          {isOver(investigation, now) && <p className="note">{say('investigation.tooLate')}</p>}
        </>
      )}
      {verification !== null && (
        <p className="note" data-tone={verification.ok ? 'goal' : 'trouble'}>
          <strong>{say(verification.ok ? 'investigation.verified' : 'investigation.unverified')}</strong>{' '}
          {say.told(verification.note)}
        </p>
      )}
      <Decisions investigation={investigation} />
    </div>
  );
}

function Decisions({ investigation: { decisions } }: { readonly investigation: Investigation }) {
  const say = useSay();
  if (decisions.length === 0) return null;
  return (
    <section>
      <h3>{say('investigation.decisions')}</h3>
      <ul>
        {decisions.map(({ decision, actor, at, reason, valid }) => (
          <li key={`${at} ${actor}`} className="bar" data-gone={valid ? undefined : true}>
            <Mark tone={decision === 'approve' ? 'goal' : 'user'}>{say(`decision.${decision}`)}</Mark>
            <span>{actor}</span> <Instant at={at} />
            {reason !== null && <q>{reason}</q>}
            {!valid && <span className="quiet">{say('decision.stale')}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
