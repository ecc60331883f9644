/** Writes down what an investigation is now, tells it, and at its end reports to the run that opened it. */
import { isLive } from '../../domain/investigations.ts';
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
  { view, version, tell }: RecordInput,
): Promise<void> {
  if (!isLive(view.status)) await report(deps, view);
  await deps.desk.investigations.record({
    ...{ view, version },
    tell: tell.map((telling) => ({ ...telling, links: ASKS.includes(telling.type) ? linksOf(deps, view) : [] })),
  });
}

function linksOf(deps: InvestigationDeps, { id, tenant, proposal }: Investigation) {
  if (proposal === null) return [];
  const { hash: proposalHash, expiresAt } = proposal;
  return deps.links.of({ tenant, investigation: id, proposalHash, expiresAt });
}

/**
 * An event on the subject of that run, of a type with its agent's name, so that a watcher wakes on its own alone. Stored
 * under the investigation's id, so once; delivered by the reconciler.
 */
async function report({ desk }: InvestigationDeps, view: Investigation): Promise<void> {
  const { id, tenant, agent, signature, status, reason, endedAt, openedBy, trigger, occurrences } = view;
  const { results, verification } = view;
  await desk.intake.store({
    tenant,
    channel: null,
    event: {
      ...{ id, source: 'investigation', type: `custom.investigation.${agent}`, subject: openedBy.subject },
      time: endedAt ?? view.updatedAt,
      data: {
        ...{ investigation: id, signature, status, reason, occurrences, trigger },
        verified: verification?.ok ?? null,
        results: results.map(({ step, kind, state, reference }) => ({ step, kind, state, reference })),
      },
    },
  });
}
