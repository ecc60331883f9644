/** An investigation: what was seen, what is proposed, who decided, what was done. */
import { z } from 'zod';
import {
  ACTION_KINDS,
  INVESTIGATION_STATUSES,
  RISKS,
  SIGNATURE_PATTERN,
  SIGNATURE_RULE,
  STEP_PATTERN,
} from '../investigations.ts';
import { ErpId, ErpKindSchema, LocalDate, Money } from './erp-records.ts';
import { AgentKeySchema, ConversationIdSchema, SlotSchema, SubjectSchema, TenantIdSchema } from './ids.ts';
import { Duration, Instant, JsonValue } from './values.ts';

const words = z.string().min(1).max(500);
/** What an act costs: never less than nothing. */
const Cost = Money.refine(({ amount }) => amount >= 0, { error: 'must not be negative' });

export const Risk = z.enum(RISKS);

export const Signature = z.string().regex(SIGNATURE_PATTERN, { error: `must be ${SIGNATURE_RULE}` });

/** One thing that was found, as a person checks it. */
export const Evidence = z.strictObject({
  label: words,
  value: z.union([z.string().max(2_000), z.number(), z.boolean(), Money, z.null()]),
  /** `pieces`, `days`, `pieces/day`… */
  unit: z.string().max(40).optional(),
  /** Where it was read: `erp: stock levels`, `computed: 28 days of orders`. */
  source: words,
  asOf: Instant,
});
export type Evidence = z.infer<typeof Evidence>;

const StepName = z
  .string()
  .regex(STEP_PATTERN, { error: 'must be lower-case letters, digits and hyphens, 1 to 40, beginning with a letter' });
const action = {
  /** Names the step within its proposal, and for ever in its idempotency key: `{investigation}:{step}`. */
  step: StepName,
  /** The act in words, with its numbers. */
  title: words,
  /** Absent: it costs nothing. */
  cost: Cost.optional(),
  risk: Risk,
  /** Not begun before this instant. */
  notBefore: Instant.optional(),
  /**
   * Records it rests on. Their versions are read before the preconditions are, and the action is done only if they still have
   * them, but for what our own earlier actions changed: so nothing can slip in between the last look and the act. Until one of
   * our actions has written in the ERP, other versions alone do no harm: the preconditions are looked at again.
   */
  restsOn: z
    .array(z.strictObject({ kind: ErpKindSchema, id: ErpId }))
    .max(20)
    .default([]),
};
const quantity = z.int().min(1);
const reason = words;

/** What may be done, a closed set. How each is undone: `COMPENSATIONS`. */
export const Action = z.discriminatedUnion('kind', [
  z
    .strictObject({
      ...action,
      kind: z.literal('purchaseOrder.create'),
      supplierId: ErpId.optional(),
      /** An earlier `suppliers.ask`: who answered it first says from whom, and at what price, in place of what stands here. */
      offerOf: StepName.optional(),
      lines: z
        .array(z.strictObject({ productId: ErpId, quantity, unitCost: Money }))
        .min(1)
        .max(100),
      expectedOn: LocalDate,
      note: z.string().max(1_000).nullable().default(null),
    })
    .refine((order) => (order.supplierId === undefined) !== (order.offerOf === undefined), {
      error: 'needs exactly one of supplierId and offerOf',
      path: ['supplierId'],
    }),
  /** Of one that is `scheduled`. */
  z.strictObject({ ...action, kind: z.literal('payment.hold'), paymentId: ErpId, reason }),
  /** Of one that is `paid`: it is asked back. */
  z.strictObject({ ...action, kind: z.literal('payment.refund'), paymentId: ErpId, reason }),
  /** By the ERP's own e-mail. */
  z.strictObject({ ...action, kind: z.literal('reminder.send'), invoiceId: ErpId, text: z.string().min(1).max(2_000) }),
  /** Another day is promised; `before` is the one promised until then. Telling the customer: `customer.notify`. */
  z.strictObject({
    ...action,
    kind: z.literal('shipment.promise'),
    shipmentId: ErpId,
    promisedOn: LocalDate,
    before: LocalDate,
    reason,
  }),
  z.strictObject({ ...action, kind: z.literal('shipment.reorder'), shipmentId: ErpId, promisedOn: LocalDate, reason }),
  /** A message in their conversation, by all the rules of contact: sent by an agent that is attached for it. */
  z.strictObject({
    ...action,
    kind: z.literal('customer.notify'),
    conversation: ConversationIdSchema,
    text: z.string().min(1).max(4_096),
  }),
  z.strictObject({
    ...action,
    kind: z.literal('agent.attach'),
    agent: AgentKeySchema,
    subject: SubjectSchema,
    config: z.record(z.string(), JsonValue).default({}),
  }),
  /**
   * Asks several suppliers and takes the first acceptable answer: told to the API, or an offer that changed in the ERP.
   * A supplier with a conversation is asked there; others by whoever hears `investigation.asked`.
   */
  z.strictObject({
    ...action,
    kind: z.literal('suppliers.ask'),
    suppliers: z
      .array(z.strictObject({ supplierId: ErpId, conversation: ConversationIdSchema.optional() }))
      .min(1)
      .max(20),
    productId: ErpId,
    quantity,
    text: z.string().min(1).max(2_000),
    /** An answer above this, or that comes later than `neededOn`, is not acceptable. */
    maxUnitCost: Money.optional(),
    neededOn: LocalDate.optional(),
    /** No acceptable answer for this long: the step has failed. */
    within: Duration.default('24h'),
  }),
  /** Waits for a person: a yes goes on, a no or no answer fails the step. */
  z.strictObject({
    ...action,
    kind: z.literal('person.confirm'),
    question: words,
    within: Duration.default('24h'),
  }),
]);
export type Action = z.infer<typeof Action>;
/** As an author writes it. */
export type ActionInput = z.input<typeof Action>;

/** Named facts that the proposal rests on: when one has changed before the execution, the proposal is stale. */
export const Preconditions = z.record(z.string().min(1).max(100), JsonValue);
export type Preconditions = z.infer<typeof Preconditions>;

/** What an investigator's `propose` answers. */
export const ProposalDraft = z
  .strictObject({
    /** For the one who decides: what is the matter, what is to be done, why. */
    summary: z.string().min(1).max(2_000),
    /** How the numbers were reached and where they come from, so that a person can check them. */
    method: z.string().min(1).max(2_000),
    /** In order: each is done after the one before, and undone in reverse should a later one fail for good. */
    actions: z.array(Action).min(1).max(20),
    preconditions: Preconditions,
    /** Earlier than the policy's `expiresIn`. */
    expiresAt: Instant.optional(),
  })
  .refine(({ actions }) => new Set(actions.map(({ step }) => step)).size === actions.length, {
    error: 'each action needs a step of its own',
    path: ['actions'],
  })
  .refine(({ actions }) => new Set(actions.flatMap(({ cost }) => cost?.currency ?? [])).size <= 1, {
    error: 'all costs of one proposal must be in one currency',
    path: ['actions'],
  });
export type ProposalDraft = z.infer<typeof ProposalDraft>;
export type ProposalInput = z.input<typeof ProposalDraft>;

export const Proposal = z.object({
  /** Over everything a decision is about: summary, method, evidence, actions, preconditions, expiry. */
  hash: z.string(),
  /** Counts from 1; a stale proposal is followed by the next. */
  revision: z.int(),
  summary: z.string(),
  method: z.string(),
  evidence: z.array(Evidence),
  actions: z.array(Action),
  /** The sum; null: it costs nothing. */
  cost: Money.nullable(),
  /** The gravest. */
  risk: Risk,
  /** People who have to agree; 0: the policy has agreed. */
  approvals: z.int().min(0).max(2),
  preconditions: Preconditions,
  /** Hash of the preconditions. */
  fingerprint: z.string(),
  /** What had changed since the proposal before this one; empty for the first. */
  changed: z.array(z.object({ name: z.string(), before: JsonValue, after: JsonValue })),
  proposedAt: Instant,
  expiresAt: Instant,
});
export type Proposal = z.infer<typeof Proposal>;

export const Decision = z.object({
  decision: z.enum(['approve', 'reject']),
  proposalHash: z.string(),
  /** `key name/by`, or `policy`. */
  actor: z.string(),
  /** Name of the key: two people are two keys. */
  person: z.string(),
  reason: z.string().nullable(),
  at: Instant,
  /** False: the proposal it agreed to went stale before it was carried out. */
  valid: z.boolean(),
});
export type Decision = z.infer<typeof Decision>;

const ACTION_STATES = ['done', 'failed', 'unknown', 'undone', 'undo_failed', 'kept'] as const;
/** What became of one action. */
export const ActionResult = z.object({
  step: z.string(),
  kind: z.enum(ACTION_KINDS),
  /**
   * `unknown`: it was given up without an answer. `kept`: done, cannot be undone, and a later action failed. After
   * `unknown` and `undo_failed` somebody has to look.
   */
  state: z.enum(ACTION_STATES),
  /** What the other side calls it: a purchase order's number, an attachment. */
  reference: z.string().nullable(),
  /** Why it failed, or what is left. */
  detail: z.string().nullable(),
  at: Instant,
});
export type ActionResult = z.infer<typeof ActionResult>;

export const InvestigationSummary = z.object({
  /** The first execution run id of its workflow. */
  id: z.string(),
  tenant: TenantIdSchema,
  agent: AgentKeySchema,
  signature: z.string(),
  status: z.enum(INVESTIGATION_STATUSES),
  /** How often its trigger was seen, the first included. */
  occurrences: z.int(),
  summary: z.string(),
  /** Why it was dismissed, failed, or what its verification found. */
  reason: z.string().nullable(),
  openedAt: Instant,
  updatedAt: Instant,
  endedAt: Instant.nullable(),
  workflowId: z.string(),
  proposal: Proposal.nullable(),
  decisions: z.array(Decision),
});
export type InvestigationSummary = z.infer<typeof InvestigationSummary>;

export const Investigation = InvestigationSummary.extend({
  trigger: z.record(z.string(), JsonValue),
  /** The watcher's run that opened it: its outcome is reported there. */
  openedBy: z.object({ subject: SubjectSchema, slot: SlotSchema, id: z.string() }),
  results: z.array(ActionResult),
  /** What was found after the last action; null: not looked yet. */
  verification: z.object({ ok: z.boolean(), note: z.string() }).nullable(),
  /** What it waits for someone to answer, if it does. */
  asked: z.object({ step: z.string(), kind: z.enum(['suppliers.ask', 'person.confirm']), until: Instant }).nullable(),
});
export type Investigation = z.infer<typeof Investigation>;

/** Bounds of an agent's investigations, as its author and the tenant write them: what nobody names is in `DEFAULTS`. */
export const InvestigationPolicyInput = z.strictObject({
  /** Nobody is asked when the risk is low and the cost is below this. Null: somebody always is. */
  autoApproveBelow: Cost.nullable().optional(),
  /** Two people have to agree when the risk is graver, or the cost is more. */
  twoPersonsAbove: z.strictObject({ risk: Risk, cost: Cost.optional() }).optional(),
  /** Undecided for this long: it has expired. */
  expiresIn: Duration.optional(),
  /** Undecided for this long: told again as `investigation.reminder`, and again after each such time. */
  remindAfter: Duration.optional(),
  /** Undecided for this long: told as `investigation.escalated`. */
  escalateAfter: Duration.optional(),
  /** Steps that read at once. */
  parallelSteps: z.int().min(1).max(20).optional(),
  /** One step's time. */
  stepTimeout: Duration.optional(),
});
export type InvestigationPolicyInput = z.infer<typeof InvestigationPolicyInput>;

/** Resolved. */
export type InvestigationPolicy = {
  readonly [Name in keyof InvestigationPolicyInput]-?: Exclude<InvestigationPolicyInput[Name], undefined>;
};

const DEFAULTS: InvestigationPolicy = {
  autoApproveBelow: null,
  twoPersonsAbove: { risk: 'medium' },
  expiresIn: '3d',
  remindAfter: '8h',
  escalateAfter: '1d',
  parallelSteps: 4,
  stepTimeout: '2m',
};

export function resolveInvestigationPolicy(input: InvestigationPolicyInput | undefined): InvestigationPolicy {
  return { ...DEFAULTS, ...input } as InvestigationPolicy;
}
