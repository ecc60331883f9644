/** Bulk acts as they are asked for, and fan-outs as they are shown. */
import { z } from 'zod';
import { BULK_ACTIONS, FAN_OUT_STATES, RECIPIENT_STATES } from '../fan-out.ts';
import { PHASES } from '../statuses.ts';
import { AgentKeySchema, SlotSchema, SubjectSchema, TopicSchema } from './ids.ts';
import { RunSummary } from './runs.ts';
import { Duration, Instant } from './values.ts';

/** The subject begins with it, such as `conversation/shop-`. */
export const SubjectPrefix = z.string().min(1).max(120);

/** What a list of runs narrows down by, as JSON. */
const BulkFilter = z.strictObject({
  status: z
    .literal('IN_PROGRESS', { error: 'must be IN_PROGRESS: runs that have ended cannot be acted on' })
    .optional(),
  agent: AgentKeySchema.optional(),
  version: z.int().min(0).max(1_000_000).optional(),
  subject: SubjectSchema.optional(),
  subjectPrefix: SubjectPrefix.optional(),
  slot: SlotSchema.optional(),
  phase: z.enum(PHASES).optional(),
  failing: z.boolean().optional(),
  topic: TopicSchema.optional(),
  dueWithin: Duration.optional(),
  costMin: z.number().min(0).max(1_000_000).optional(),
  q: z.string().trim().min(1).max(100).optional(),
});

const TIMED: Readonly<Record<string, readonly string[]>> = { pause: ['until'], snooze: ['until', 'for'] };

export const BulkRequest = z
  .strictObject({
    action: z.enum(BULK_ACTIONS),
    /** Required, so that nobody acts on every run by leaving it out: `{}` is all. */
    filter: BulkFilter,
    /** Counts, shows a sample and does nothing. */
    dryRun: z.boolean().default(false),
    until: Instant.optional(),
    for: Duration.optional(),
    by: z.string().max(200).optional(),
    reason: z.string().max(1_000).optional(),
  })
  .superRefine((asked, context) => {
    const report = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    for (const field of ['until', 'for'] as const)
      if (asked[field] !== undefined && TIMED[asked.action]?.includes(field) !== true)
        report(field, `must be left out: a ${asked.action} has none`);
    if (asked.action === 'snooze' && (asked.until === undefined) === (asked.for === undefined))
      report('until', 'a snooze needs exactly one of until and for');
  });
export type BulkRequest = z.infer<typeof BulkRequest>;

const counted = {
  state: z.enum(FAN_OUT_STATES),
  total: z.int(),
  done: z.int(),
  skipped: z.int(),
  failed: z.int(),
  pending: z.int(),
  createdAt: Instant,
  startedAt: Instant.nullable(),
  finishedAt: Instant.nullable(),
};
export const BulkView = z.object({
  id: z.string(),
  kind: z.literal('bulk'),
  action: z.enum(BULK_ACTIONS),
  filter: z.looseObject({}),
  until: Instant.nullable(),
  for: Duration.nullable(),
  actor: z.string(),
  comment: z.string().nullable(),
  ...counted,
});
export type BulkView = z.infer<typeof BulkView>;
const TopicFanOutView = z.object({
  id: z.string(),
  kind: z.literal('topic'),
  topic: z.string(),
  /** The desk's key of the event. */
  event: z.string(),
  ...counted,
});
export const FanOutView = z.discriminatedUnion('kind', [BulkView, TopicFanOutView]);
export type FanOutView = z.infer<typeof FanOutView>;

export const BulkPreview = z.object({
  dryRun: z.literal(true),
  action: z.enum(BULK_ACTIONS),
  total: z.int(),
  sample: z.array(RunSummary),
});
export type BulkPreview = z.infer<typeof BulkPreview>;

export const ReceiptLine = z.object({
  /** Id of the attachment. */
  id: z.string(),
  subject: SubjectSchema,
  slot: SlotSchema,
  state: z.enum(RECIPIENT_STATES),
  /** Why it was skipped or failed. */
  reason: z.string().nullable(),
  at: Instant.nullable(),
});
export type ReceiptLine = z.infer<typeof ReceiptLine>;
