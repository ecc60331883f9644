/** How an investigation can stand, and what it may do: closed sets, plain values (the workflow bundle imports this file). */

export const INVESTIGATION_STATUSES = [
  'investigating',
  'proposed',
  'approved',
  'executing',
  'executed',
  'dismissed',
  'rejected',
  'expired',
  'failed',
] as const;
export type InvestigationStatus = (typeof INVESTIGATION_STATUSES)[number];

/** While it stands so, a repeat of its trigger is an occurrence; afterwards it opens a new investigation. */
export const LIVE_STATUSES: readonly InvestigationStatus[] = ['investigating', 'proposed', 'approved', 'executing'];

/** From harmless to grave. */
export const RISKS = ['low', 'medium', 'high'] as const;
export type Risk = (typeof RISKS)[number];

/**
 * Every kind of action, with how it is undone should a later one of the same proposal fail for good. Null: it cannot
 * be undone, so it belongs at the end of a proposal.
 */
export const COMPENSATIONS = {
  'purchaseOrder.create': 'the purchase order is cancelled',
  'payment.hold': 'the payment is released',
  'payment.refund': 'the request is withdrawn',
  'reminder.send': null,
  'shipment.promise': 'the date before is promised again',
  'shipment.reorder': 'the new shipment is cancelled',
  'customer.notify': null,
  'agent.attach': 'the agent is detached',
  'suppliers.ask': null,
  'person.confirm': null,
} as const;
export type ActionKind = keyof typeof COMPENSATIONS;
export const ACTION_KINDS = Object.keys(COMPENSATIONS) as [ActionKind, ...ActionKind[]];

const OUTSIDE_THE_ERP: readonly ActionKind[] = ['customer.notify', 'agent.attach', 'suppliers.ask', 'person.confirm'];

/** Does the ERP carry it out? Then records may be other versions afterwards, by our own hand. */
export function isInErp(kind: ActionKind): boolean {
  return !OUTSIDE_THE_ERP.includes(kind);
}

/** What a signature may be as it is in a workflow id; a longer one goes in as its hash. */
export const SIGNATURE_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:@+=-]{0,199}$/;
export const SIGNATURE_RULE =
  'letters, digits and . _ : @ + = -, 1 to 200 characters, beginning with a letter or digit';

export const STEP_PATTERN = /^[a-z][a-z0-9-]{0,39}$/;

export function isLive(status: InvestigationStatus): boolean {
  return LIVE_STATUSES.some((live) => live === status);
}
