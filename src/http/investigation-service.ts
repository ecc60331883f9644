/** Investigations as the API has them: the desk to read, the workflow to decide. */
import type { InvestigationClient } from '../client/investigation-client.ts';
import type { Desk, InvestigationFilter } from '../desk/desk.ts';
import type { TenantId } from '../domain/ids.ts';
import { decisionWords } from '../domain/investigation-rules.ts';
import { isLive } from '../domain/investigations.ts';
import type { Decision, Investigation } from '../domain/schemas/investigations.ts';
import type { Answer, Decide, Refusal } from '../workflows/investigation-messages.ts';
import { ProblemError } from './problems.ts';

interface InvestigationRef {
  readonly tenant: TenantId;
  readonly id: string;
}

export class InvestigationService {
  private readonly desk: Pick<Desk, 'investigations'>;
  private readonly client: InvestigationClient;

  constructor({
    desk,
    investigations,
  }: {
    readonly desk: Pick<Desk, 'investigations'>;
    readonly investigations: InvestigationClient;
  }) {
    this.desk = desk;
    this.client = investigations;
  }

  list(filter: InvestigationFilter) {
    return this.desk.investigations.list(filter);
  }

  /** @throws {ProblemError} `investigation_not_found` */
  async get(tenant: TenantId, id: string): Promise<Investigation> {
    const found = await this.desk.investigations.get(tenant, id);
    if (found === null)
      throw new ProblemError('investigation_not_found', `there is no investigation ${id.slice(0, 120)}`);
    return found;
  }

  /** @throws {ProblemError} `already_decided`, with who, when and what; `proposal_changed`, `nothing_proposed`. */
  async decide({ tenant, id }: InvestigationRef, decision: Decide): Promise<Investigation> {
    const known = await this.get(tenant, id);
    if (!isLive(known.status)) throw alreadyDecided(known);
    const told = await this.client.decide(known, decision);
    switch (told.result) {
      case 'taken':
        return told.investigation;
      case 'refused':
        throw refused(told.refusal);
      case 'over':
        throw alreadyDecided(await this.get(tenant, id));
      case 'no_worker':
        throw noWorker();
    }
  }

  /** @throws {ProblemError} `nothing_asked` */
  async answer({ tenant, id }: InvestigationRef, answer: Answer): Promise<Investigation> {
    const known = await this.get(tenant, id);
    const told = isLive(known.status) ? await this.client.answer(known, answer) : ({ result: 'over' } as const);
    switch (told.result) {
      case 'taken':
        return told.investigation;
      case 'refused':
        throw new ProblemError('nothing_asked', told.refusal);
      case 'over':
        throw new ProblemError('nothing_asked', 'the investigation is over');
      case 'no_worker':
        throw noWorker();
    }
  }
}

function refused(refusal: Refusal): ProblemError {
  switch (refusal.refused) {
    case 'already_decided':
      return new ProblemError('already_decided', refusal.message, { members: { decision: refusal.decision } });
    case 'proposal_changed':
      return new ProblemError('proposal_changed', refusal.message, { members: { proposalHash: refusal.hash } });
    case 'nothing_proposed':
    case 'forbidden':
      return new ProblemError(refusal.refused, refusal.message);
  }
}

/** Also after the end: who decided, when and what. */
function alreadyDecided({ status, decisions, reason }: Investigation): ProblemError {
  const decision: Decision | null = decisions.findLast(({ valid }) => valid) ?? null;
  const why = decision === null ? reason : decisionWords(decision);
  return new ProblemError('already_decided', `it is ${status}${why === null ? '' : `: ${why}`}`, {
    members: { decision, investigationStatus: status },
  });
}

function noWorker(): ProblemError {
  return new ProblemError('no_worker', 'no worker answered in time; ask again, your decision may have been taken', {
    retryAfterSeconds: 5,
  });
}
