/** How an investigation stands; one whose time is up looks so before the server has said it. */
import type { InvestigationSummary } from '../../../domain/schemas/investigations.ts';
import { Mark } from '../../parts/status.tsx';
import { useNow } from '../../time/clock.ts';
import { useSay } from '../../words/words.ts';

const TONES = {
  investigating: 'busy',
  proposed: 'held',
  approved: 'busy',
  executing: 'busy',
  executed: 'goal',
  dismissed: 'user',
  rejected: 'user',
  expired: 'user',
  failed: 'trouble',
} as const;

export function Standing({ of }: { readonly of: Pick<InvestigationSummary, 'status' | 'proposal'> }) {
  const say = useSay();
  const now = useNow();
  const status = isOver(of, now) ? 'expired' : of.status;
  return (
    <>
      <Mark tone={TONES[status]}>{say(`investigation.${status}`)}</Mark>
      {of.proposal !== null && of.proposal.changed.length > 0 && of.status === 'proposed' && (
        <Mark tone="trouble">{say('investigation.changed')}</Mark>
      )}
    </>
  );
}

/** Nobody decided in time. */
export function isOver({ status, proposal }: Pick<InvestigationSummary, 'status' | 'proposal'>, now: number): boolean {
  return status === 'expired' || (status === 'proposed' && proposal !== null && Date.parse(proposal.expiresAt) <= now);
}
