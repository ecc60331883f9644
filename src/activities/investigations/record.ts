/** Writes down what an investigation is now, tells it, and at its end reports to the run that opened it. */
import { isLive } from '../../domain/investigations.ts';
import { reportOf } from '../../domain/investigation-report.ts';
import type { Investigation } from '../../domain/schemas/investigations.ts';
import type { RecordInput, Telling } from '../../workflows/investigation-types.ts';
import type { InvestigationDeps } from './deps.ts';

/** What asks for a decision carries links to decide with. */
const ASKS: readonly Telling['type'][] = [
  'investigation.proposed',
  'investigation.reminder',
  'investigation.escalated',
];

export async function recordInvestigation(
  deps: InvestigationDeps,
  { view, version, tell, counted = [] }: RecordInput,
): Promise<void> {
  // Stored under its id, so once; delivered by the reconciler.
  if (!isLive(view.status)) await deps.desk.intake.store(reportOf(view));
  await deps.desk.investigations.record({
    ...{ view, version, counted },
    tell: tell.map((telling) => ({ ...telling, links: ASKS.includes(telling.type) ? linksOf(deps, view) : [] })),
  });
}

function linksOf(deps: InvestigationDeps, { id, tenant, proposal }: Investigation) {
  if (proposal === null) return [];
  const { hash: proposalHash, expiresAt } = proposal;
  return deps.links.of({ tenant, investigation: id, proposalHash, expiresAt });
}
