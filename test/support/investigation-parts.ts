/** An investigation without a desk or an ERP: what it is started with, and activities that answer at once. */
import { BUSINESS, type AgentKey, type Slot } from '../../src/domain/ids.ts';
import {
  Action,
  type Investigation,
  type Proposal,
  resolveInvestigationPolicy,
} from '../../src/domain/schemas/investigations.ts';
import type { InvestigationInput } from '../../src/workflows/investigation-input.ts';
import type { InvestigationActivities } from '../../src/workflows/investigation-types.ts';
import { ACME } from './facts.ts';

export const INVESTIGATION_INPUT: InvestigationInput = {
  ...{ v: 1, tenant: ACME, agent: 'restock' as AgentKey, signature: 'stockout:P-1', summary: 'P-1 runs out' },
  ...{ trigger: {}, policy: resolveInvestigationPolicy({}) },
  openedBy: { subject: BUSINESS, slot: 'restock' as Slot, id: 'attachment-1' },
};

const FAR = '2999-01-01T00:00:00.000Z';
const act = { title: 'An act', risk: 'low', reason: 'r' };

/** Holds a payment, asks a person, and holds another in a far future. */
const ACTIONS = [
  { ...act, kind: 'payment.hold', step: 'hold', paymentId: 'PAY-1', restsOn: [{ kind: 'payment', id: 'PAY-1' }] },
  { title: 'Ask', risk: 'low', kind: 'person.confirm', step: 'sure', question: 'Sure?' },
  {
    ...act,
    kind: 'payment.hold',
    step: 'late',
    paymentId: 'PAY-2',
    notBefore: FAR,
    restsOn: [{ kind: 'payment', id: 'PAY-2' }],
  },
].map((action) => Action.parse(action));

export function aProposal(change: Partial<Proposal> = {}): Proposal {
  return {
    ...{ hash: 'h1', revision: 1, summary: 's', method: 'm', evidence: [], actions: ACTIONS, cost: null, risk: 'low' },
    ...{ approvals: 1, preconditions: {}, fingerprint: 'f', changed: [], proposedAt: '2026-11-29T12:00:00.000Z' },
    expiresAt: FAR,
    ...change,
  };
}

export function investigationParts(): InvestigationActivities {
  return {
    beginInvestigation: async () => ({ result: 'begun', config: {}, steps: ['stock', 'orders'] }),
    investigateStep: async () => ({ facts: {}, evidence: [] }),
    propose: async ({ before, now }) =>
      before === null ? { result: 'proposed', proposal: aProposal({ proposedAt: now }) } : { result: 'holds' },
    readVersions: async () => [{ kind: 'payment', id: 'PAY-1', version: '1' }],
    performAction: async () => ({ result: 'done', reference: 'PAY-1', detail: null }),
    awaitSwitchedOn: async () => undefined,
    undoAction: async () => ({ result: 'undone' }),
    readOffers: async () => [],
    verify: async () => ({ ok: true, note: 'fine' }),
    recordInvestigation: async () => undefined,
  };
}

/** As the desk has it: proposed, by a run on `business`. */
export function anInvestigation(id: string): Investigation {
  const { tenant, agent, signature, summary, openedBy } = INVESTIGATION_INPUT;
  const at = '2026-11-29T12:00:00.000Z';
  return {
    ...{ id, tenant, agent, signature, summary, openedBy, status: 'proposed', occurrences: 1, reason: null },
    ...{ openedAt: at, updatedAt: at, endedAt: null, workflowId: `investigation/acme/restock/${id}`, trigger: {} },
    ...{ proposal: aProposal(), decisions: [], results: [], verification: null, asked: null },
  };
}
