/** The activities of investigations, with what they need handed in at the door. */
import type { InvestigationActivities } from '../../workflows/investigation-types.ts';
import { awaitSwitchedOn, performAction, readOffers, undoAction } from './act.ts';
import type { InvestigationDeps } from './deps.ts';
import { beginInvestigation, investigateStep, propose, readVersions, verify } from './look.ts';
import { recordInvestigation } from './record.ts';

export function createInvestigationActivities(deps: InvestigationDeps): InvestigationActivities {
  return {
    beginInvestigation: (input) => beginInvestigation(deps, input),
    investigateStep: (input) => investigateStep(deps, input),
    propose: (input) => propose(deps, input),
    readVersions: (input) => readVersions(deps, input),
    performAction: (input) => performAction(deps, input),
    awaitSwitchedOn: (input) => awaitSwitchedOn(deps, input),
    undoAction: (input) => undoAction(deps, input),
    readOffers: (input) => readOffers(deps, input),
    verify: (input) => verify(deps, input),
    recordInvestigation: (input) => recordInvestigation(deps, input),
  };
}
