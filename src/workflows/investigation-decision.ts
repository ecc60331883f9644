/** The rules of a decision, over plain data: what is refused and why, and what the wait for one does next. */
import { ms } from '../domain/durations.ts';
import { decisionWords, isOnePerson } from '../domain/investigation-rules.ts';
import type { InvestigationStatus } from '../domain/investigations.ts';
import { allows } from '../domain/roles.ts';
import type { Decision, InvestigationPolicy } from '../domain/schemas/investigations.ts';
import type { InvestigationData } from './investigation-data.ts';
import type { Decide, Refusal } from './investigation-messages.ts';

export type DecisionStep =
  | { readonly do: 'decided' }
  | { readonly do: 'expire' | 'remind' | 'escalate' }
  | { readonly do: 'wait'; readonly until: number };

/** To the current proposal. */
export function agreementsTo({ decisions }: InvestigationData): readonly Decision[] {
  return decisions.filter(({ valid, decision }) => valid && decision === 'approve');
}

/** Null: it may be decided so. */
export function refusalOfDecision(data: InvestigationData, decide: Decide, now: number): Refusal | null {
  const { decision, person, role, proposalHash } = decide;
  const { proposal, status, decisions } = data;
  if (!allows(role, 'operator'))
    return { refused: 'forbidden', message: `the key of ${person} is a ${role}'s; this needs operator` };
  if (proposal === null) return { refused: 'nothing_proposed', message: `nothing is proposed; it is ${status}` };
  if (status !== 'proposed') return alreadyDecided(status, decisions.findLast(({ valid }) => valid) ?? null);
  if (proposalHash !== undefined && proposalHash !== proposal.hash)
    return {
      refused: 'proposal_changed',
      message: `revision ${proposal.revision} is proposed now: look at it before you decide`,
      hash: proposal.hash,
    };
  if (now >= Date.parse(proposal.expiresAt))
    return { refused: 'nothing_proposed', message: `the proposal expired at ${proposal.expiresAt}` };
  const own = agreementsTo(data).find((agreed) => isOnePerson(agreed, decide));
  if (decision === 'approve' && own !== undefined)
    return {
      refused: 'already_decided',
      message: `${person} has approved already, at ${own.at}: another person has to`,
      decision: own,
    };
  return null;
}

function alreadyDecided(status: InvestigationStatus, decision: Decision | null): Refusal {
  const who = decision === null ? '' : `: ${decisionWords(decision)}`;
  return { refused: 'already_decided', message: `it is ${status}${who}`, decision };
}

export function nextOfDecision(
  { proposal, status, reminders, isEscalated }: InvestigationData,
  policy: InvestigationPolicy,
  now: number,
): DecisionStep {
  if (status !== 'proposed' || proposal === null) return { do: 'decided' };
  const since = Date.parse(proposal.proposedAt);
  const expires = Date.parse(proposal.expiresAt);
  if (now >= expires) return { do: 'expire' };
  const escalates = isEscalated ? Infinity : since + ms(policy.escalateAfter);
  if (now >= escalates) return { do: 'escalate' };
  const every = ms(policy.remindAfter);
  const reminds = every === 0 ? Infinity : since + (reminders + 1) * every;
  if (now >= reminds) return { do: 'remind' };
  return { do: 'wait', until: Math.min(expires, escalates, reminds) };
}
