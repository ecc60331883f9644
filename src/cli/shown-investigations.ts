/** One investigation on a terminal: what is proposed to the letter, and the numbers to check it by. */
import { shownMoney } from '../domain/money.ts';
import { changeWords, evidenceWords, termsOf } from '../domain/proposal-words.ts';
import type { Money } from '../domain/schemas/erp-records.ts';
import type { Investigation, Proposal } from '../domain/schemas/investigations.ts';
import { fields, table } from './terminal.ts';

export function shownInvestigation(of: Investigation, columns: number | undefined): string {
  const { proposal, decisions, results } = of;
  const parts = [
    fields([
      ...Object.entries({ id: of.id, agent: of.agent, status: of.status, seen: times(of.occurrences) }),
      ...(of.reason === null ? [] : [['reason', of.reason] as const]),
      ...(of.asked === null ? [] : [['waits for', waitsFor(of, of.asked)] as const]),
    ]),
    ...(proposal === null ? [] : shownProposal(proposal, columns)),
  ];
  if (decisions.length > 0)
    parts.push(
      table(
        ['DECIDED', 'BY', 'AT', 'WHY'],
        decisions.map(({ decision, actor, at, reason, valid }) => [
          valid ? decision : `${decision} (void)`,
          actor,
          at,
          reason ?? '',
        ]),
        columns,
      ),
    );
  if (results.length > 0)
    parts.push(
      table(
        ['DONE', 'STATE', 'REFERENCE', 'DETAIL'],
        results.map(({ step, state, reference, detail }) => [step, state, reference ?? '', detail ?? '']),
        columns,
      ),
    );
  return parts.join('\n');
}

function shownProposal(proposal: Proposal, columns: number | undefined): string[] {
  const { summary, method, risk, approvals, expiresAt, hash, evidence, actions, changed } = proposal;
  const about = {
    proposal: summary,
    method,
    risk,
    cost: money(proposal.cost),
    approvals: String(approvals),
    expires: expiresAt,
    hash,
    // The one before went stale.
    'proposed anew': changed.map(changeWords).join('; '),
  };
  const terms = actions.flatMap((action) =>
    termsOf(action).map(([name, value]) => [`${action.step}: ${name}`, value] as const),
  );
  return [
    fields(Object.entries(about).filter(([, value]) => value !== '')),
    table(
      ['STEP', 'ACTION', 'WHAT', 'COST'],
      actions.map(({ step, kind, title, cost }) => [step, kind, title, money(cost)]),
      columns,
    ),
    fields(terms),
    table(
      ['EVIDENCE', 'VALUE', 'SOURCE'],
      evidence.map((each) => [each.label, evidenceWords(each), each.source]),
      columns,
    ),
  ];
}

function waitsFor({ id }: Investigation, { step, kind, until }: NonNullable<Investigation['asked']>): string {
  const answer =
    kind === 'person.confirm'
      ? '{"kind": "confirmation", "yes": true}'
      : '{"kind": "offer", "supplierId": …, "unitCost": …, "deliverOn": …}';
  return `an answer to ${step} until ${until}: attache investigations answer ${id} ${step} '${answer}'`;
}

export function money(cost: Money | null | undefined): string {
  return cost == null ? '' : shownMoney(cost);
}

function times(occurrences: number): string {
  return occurrences === 1 ? 'once' : `${occurrences} times`;
}
