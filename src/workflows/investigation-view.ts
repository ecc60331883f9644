/** An investigation as people see it: the `view` query, the desk, Temporal Web. */
import type { Investigation } from '../domain/schemas/investigations.ts';
import type { InvestigationData } from './investigation-data.ts';
import type { InvestigationInput } from './investigation-input.ts';
import type { InvestigationIdentity } from './investigation-types.ts';

export function investigationView(
  data: InvestigationData,
  { tenant, agent, signature, summary, trigger, openedBy }: InvestigationInput,
  { id, workflowId }: InvestigationIdentity,
): Investigation {
  const { status, occurrences, reason, openedAt, updatedAt, endedAt } = data;
  const { proposal, decisions, results, verification, asked } = data;
  return {
    ...{ id, tenant, agent, signature, status, occurrences, summary, reason, openedAt, updatedAt, endedAt, workflowId },
    ...{
      proposal,
      decisions: [...decisions],
      trigger: trigger as Investigation['trigger'],
      openedBy,
      results: [...results],
      verification,
      asked,
    },
  };
}

/** Markdown for Temporal Web, without what people wrote. */
export function investigationDetails({ status, occurrences, proposal, results, asked }: Investigation): string {
  const lines = [`**${status}**, seen ${occurrences} times`];
  if (proposal !== null)
    lines.push(
      `revision ${proposal.revision}, risk ${proposal.risk}, needs ${proposal.approvals}, until ${proposal.expiresAt}`,
      ...proposal.actions.map(
        ({ step, kind }) => `- ${step}: ${kind} ${results.find((done) => done.step === step)?.state ?? ''}`,
      ),
    );
  if (asked !== null) lines.push(`${asked.step} waits for an answer until ${asked.until}`);
  return lines.join('\n\n');
}
