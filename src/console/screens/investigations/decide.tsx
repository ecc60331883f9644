/** Yes, or no with a reason, to exactly the proposal on the screen: one that has changed meanwhile is refused. Always in view. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Decision, Investigation, Proposal } from '../../../domain/schemas/investigations.ts';
import { useMay, useServer } from '../../api/context.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { toast } from '../../parts/toasts.tsx';
import { useNow } from '../../time/clock.ts';
import { useSay } from '../../words/words.ts';
import { isOver } from './standing.tsx';

export function Decide({
  investigation,
  proposal,
}: {
  readonly investigation: Investigation;
  readonly proposal: Proposal;
}) {
  const say = useSay();
  const server = useServer();
  const queries = useQueryClient();
  const mayDecide = useMay('operator');
  const now = useNow();
  const [reason, setReason] = useState('');
  const decide = useMutation({
    mutationFn: async (decision: Decision['decision']) =>
      server.decide(investigation.id, decision, { reason: reason.trim() || undefined, proposalHash: proposal.hash }),
    onSuccess: (_, decision) => toast(say(`decision.${decision}.done`)),
    onSettled: () => queries.invalidateQueries({ queryKey: [server.tenant] }),
  });
  if (investigation.status !== 'proposed' || isOver(investigation, now) || !mayDecide) return null;
  const agreed = investigation.decisions.filter(({ valid, decision }) => valid && decision === 'approve').length;
  return (
    <form className="decide" onSubmit={(event) => event.preventDefault()}>
      {proposal.approvals > 1 && <p>{say('investigation.needs', { n: proposal.approvals, agreed })}</p>}
      <label>
        {say('decision.reason')}
        <textarea name="reason" maxLength={1_000} value={reason} onChange={({ target }) => setReason(target.value)} />
      </label>
      {decide.isError && <ProblemNote error={decide.error} acted />}
      <div className="bar">
        {(['approve', 'reject'] as const).map((decision) => (
          <button
            key={decision}
            type="button"
            className={decision === 'approve' ? 'main' : 'danger'}
            disabled={decide.isPending || (decision === 'reject' && reason.trim() === '')}
            onClick={() => decide.mutate(decision)}
          >
            {say(`decision.${decision}.do`)}
          </button>
        ))}
        {reason.trim() === '' && <span className="quiet">{say('decision.needsReason')}</span>}
      </div>
    </form>
  );
}
