/**
 * What an outgoing webhook says: a Standard Webhooks payload that is a CloudEvent 1.0 in structured form as well. It
 * names things and how they stand; whoever needs the words (a transcript, a comment) asks the API for them.
 */
import { z } from 'zod';
import { WEBHOOK_TYPES } from '../webhooks.ts';
import { INVESTIGATION_STATUSES } from '../investigations.ts';
import { Money } from './erp-records.ts';
import { ActionResult, Decision, Investigation, Proposal } from './investigations.ts';
import { RunSummary } from './runs.ts';
import { AgentKeySchema, SubjectSchema, TenantIdSchema } from './ids.ts';
import { Instant } from './values.ts';

/** A run without its comment and the reason of its next wake-up: an agent or an operator may quote a customer there. */
export const NoticedRun = RunSummary.omit({ comment: true, nextRunWhy: true, phase: true });
export type NoticedRun = z.infer<typeof NoticedRun>;

export const NoticedEffect = z.object({
  key: z.string(),
  /** `message.send`, `note.add`… */
  kind: z.string(),
  /** As in the ledger: `failed`, or `unknown` where nobody can say whether it went out. */
  state: z.enum(['failed', 'unknown']),
  /** `permanent: 131009`, `unknown_fate`…: a channel's own code after the colon. */
  reason: z.string(),
  run: z.object({ id: z.string(), workflowId: z.string() }),
});
export type NoticedEffect = z.infer<typeof NoticedEffect>;

/** Enough for a person to decide: the acts in words, what they cost. The evidence is to be asked for. */
export const NoticedInvestigation = z.object({
  ...{ id: z.string(), agent: AgentKeySchema, signature: z.string(), workflowId: z.string(), summary: z.string() },
  status: z.enum(INVESTIGATION_STATUSES),
  occurrences: z.int(),
  reason: z.string().nullable(),
  proposal: Proposal.pick({ hash: true, revision: true, cost: true, risk: true, approvals: true, expiresAt: true })
    .extend({
      summary: z.string(),
      actions: z.array(z.object({ step: z.string(), kind: z.string(), title: z.string(), cost: Money.optional() })),
    })
    .nullable(),
  decisions: z.array(Decision.omit({ reason: true })),
  results: z.array(ActionResult),
  asked: Investigation.shape.asked,
});
export type NoticedInvestigation = z.infer<typeof NoticedInvestigation>;

/** A signed link with which this person, and nobody else, decides on this very proposal. Secret. */
const DecisionLink = z.object({ person: z.string(), url: z.string() });

export const Notice = z.object({
  specversion: z.literal('1.0'),
  /** Of the delivery, the same at every attempt: equal to the header `webhook-id`. */
  id: z.uuid(),
  source: z.string(),
  type: z.enum(WEBHOOK_TYPES),
  subject: SubjectSchema,
  tenant: TenantIdSchema,
  /** When it happened; CloudEvents calls it `time`, Standard Webhooks `timestamp`. */
  time: Instant,
  timestamp: Instant,
  datacontenttype: z.literal('application/json'),
  data: z.union([
    z.object({ run: NoticedRun }),
    z.object({ effect: NoticedEffect }),
    z.object({ investigation: NoticedInvestigation, links: z.array(DecisionLink) }),
  ]),
});
export type Notice = z.infer<typeof Notice>;
