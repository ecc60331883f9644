/** The rules of a proposal and its decision: how grave and dear it is, who has to agree, and who counts as one person. */
import { RISKS, type Risk } from './investigations.ts';
import { shownMoney } from './money.ts';
import type { Money } from './schemas/erp-records.ts';
import type { Action, Decision, InvestigationPolicy, Proposal } from './schemas/investigations.ts';

/** Is `risk` graver than `limit`? */
function isAbove(risk: Risk, limit: Risk): boolean {
  return RISKS.indexOf(risk) > RISKS.indexOf(limit);
}

/** The gravest of its actions; `low` when there are none. */
export function riskOf(actions: readonly Pick<Action, 'risk'>[]): Risk {
  return actions.reduce<Risk>((gravest, { risk }) => (isAbove(risk, gravest) ? risk : gravest), 'low');
}

/** The sum of what they cost, null when nothing does. All costs of one proposal are in one currency, as its schema asks. */
export function costOf(actions: readonly Pick<Action, 'cost'>[]): Money | null {
  const costs = actions.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  const [first] = costs;
  return first === undefined
    ? null
    : { currency: first.currency, amount: costs.reduce((sum, { amount }) => sum + amount, 0) };
}

/** How many people have to agree: none below the policy's limit, two above it, else one. */
export function approvalsNeeded(
  { cost, risk }: Pick<Proposal, 'cost' | 'risk'>,
  policy: InvestigationPolicy,
): 0 | 1 | 2 {
  const { autoApproveBelow, twoPersonsAbove } = policy;
  if (isAbove(risk, twoPersonsAbove.risk)) return 2;
  if (twoPersonsAbove.cost !== undefined && exceeds(cost, twoPersonsAbove.cost)) return 2;
  const isSmall = autoApproveBelow !== null && risk === 'low' && isLess(cost, autoApproveBelow);
  return isSmall ? 0 : 1;
}

/** What another currency is worth is not known here: then it counts as more. */
function exceeds(cost: Money | null, limit: Money): boolean {
  if (cost === null) return false;
  return cost.currency !== limit.currency || cost.amount > limit.amount;
}

function isLess(cost: Money | null, limit: Money): boolean {
  if (cost === null) return limit.amount > 0;
  return cost.currency === limit.currency && cost.amount < limit.amount;
}

/** Why a supplier's answer is not one that the question takes; null: it is. From whom it asked, not too dear, not too late. */
export function whyUnacceptable(
  offer: { readonly supplierId: string; readonly unitCost: Money; readonly deliverOn: string },
  { maxUnitCost, neededOn, suppliers }: Extract<Action, { kind: 'suppliers.ask' }>,
): string | null {
  if (!suppliers.some(({ supplierId }) => supplierId === offer.supplierId))
    return `supplierId: asked were ${suppliers.map(({ supplierId }) => supplierId).join(', ')}`;
  if (neededOn !== undefined && offer.deliverOn > neededOn) return `deliverOn: must be ${neededOn} at the latest`;
  if (maxUnitCost !== undefined && exceeds(offer.unitCost, maxUnitCost))
    return `unitCost: must be ${shownMoney(maxUnitCost)} at most`;
  return null;
}

/** `crm/ana approved it at 2026-11-29T12:00:00.000Z`. */
export function decisionWords({ actor, decision, at }: Pick<Decision, 'actor' | 'decision' | 'at'>): string {
  return `${actor} ${decision === 'approve' ? 'approved' : 'rejected'} it at ${at}`;
}

/** Who has decided: by a key, `person` is its name and `actor` is `key name/by`; by a signed link, `actor` is `person/link`. */
interface Decider {
  readonly person: string;
  readonly actor: string;
}

/** Two keys are two people; but a signed link names its person as a key's actor does, and one may hold both. */
export function isOnePerson(one: Decider, other: Decider): boolean {
  if (one.person === other.person) return true;
  if (!isByLink(one) && !isByLink(other)) return false;
  const names = namesOf(other);
  return namesOf(one).some((name) => names.includes(name));
}

function isByLink({ actor }: Decider): boolean {
  return actor.endsWith('/link');
}

function namesOf({ actor, person }: Decider): string[] {
  return [person, ...actor.replace(/\/link$/, '').split('/')].map((name) => name.trim().toLowerCase());
}
