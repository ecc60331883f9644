/** A run as the API, the command line and the run's own query show it. */
import { z } from 'zod';
import { END_REASONS, PHASES, RUN_STATUSES, type EndReason, type RunStatus } from '../statuses.ts';
import { Effect } from './effects.ts';
import { Move, WakeStep } from './next-wake.ts';
import { AgentKeySchema, SlotSchema, SubjectSchema, TenantIdSchema, TopicSchema } from './ids.ts';
import { Policy } from './policy.ts';
import { Duration, Instant, JsonValue } from './values.ts';

export const RunStatusSchema = z.enum(RUN_STATUSES as [RunStatus, ...RunStatus[]]);
export const EndReasonSchema = z.enum(END_REASONS as [EndReason, ...EndReason[]]);

export const RunSummary = z.object({
  /** The attachment: the first execution run id of the workflow chain. */
  id: z.string(),
  tenant: TenantIdSchema,
  subject: SubjectSchema,
  slot: SlotSchema,
  agent: AgentKeySchema,
  agentVersion: z.int().nullable(),
  status: RunStatusSchema,
  reason: EndReasonSchema.nullable(),
  /** Null once ended. */
  phase: z.enum(PHASES).nullable(),
  /** Who ended or paused it: `key name/by`, `agent`, `system`, `temporal`, `human`. */
  actor: z.string().nullable(),
  comment: z.string().nullable(),
  attachedAt: Instant,
  endedAt: Instant.nullable(),
  /** Null once ended. */
  nextRunAt: Instant.nullable(),
  nextRunWhy: z.string().nullable(),
  ticks: z.int(),
  /** Failed wake-ups in a row. */
  failures: z.int(),
  workflowId: z.string(),
});
export type RunSummary = z.infer<typeof RunSummary>;

/** An effect that has been decided and is not finished. */
export const PendingEffect = z.object({
  key: z.string(),
  effect: Effect,
  state: z.enum(['waiting', 'performing', 'parked']),
  /** Why it is parked: `quiet_hours`, `window_closed`, `no_contact`, `no_channel`, `rate_limited`, `ambiguous`, `retrying`, `paused`… */
  reason: z.string().nullable(),
  dueAt: Instant.nullable(),
  /** Which rules moved it to `dueAt`, one after the other, where it was more than one. */
  moves: z.array(Move).optional(),
  attempts: z.int(),
  /** When it was decided. */
  since: Instant,
});
export type PendingEffect = z.infer<typeof PendingEffect>;

export const Run = RunSummary.extend({
  config: JsonValue,
  state: JsonValue,
  policy: Policy.nullable(),
  pendingEffects: z.array(PendingEffect),
  pausedUntil: Instant.nullable(),
  /** Events that wait for the next tick. */
  queued: z.int(),
});
export type Run = z.infer<typeof Run>;

/** One run, as whoever asks for it is told. */
export const OneRun = Run.extend({ nextRunSteps: z.array(WakeStep) });
export type OneRun = z.infer<typeof OneRun>;

/** A new run. `warning`: why it may not do what was meant: a kill switch covers its agent, or nobody is known there yet. Null: nothing to say. */
export const AttachedRun = Run.extend({ warning: z.string().nullable() });

export const AttachRequest = z.strictObject({
  agent: AgentKeySchema,
  subject: SubjectSchema,
  config: z.record(z.string(), JsonValue).optional(),
  /** Default: at once. Past instants mean at once; at most 400 days ahead. */
  firstRunAt: Instant.optional(),
  slot: SlotSchema.optional(),
  /** What it follows besides its agent's own topics. */
  topics: z.array(TopicSchema).max(20).optional(),
  by: z.string().max(200).optional(),
  reason: z.string().max(1_000).optional(),
});
export type AttachRequest = z.infer<typeof AttachRequest>;

/** What a run was started with, whoever started it, as far as it is not its agent's to check: broken, it would be tried for ever. */
export const GivenAtAttach = z.object({
  actor: z.string().trim().min(1),
  comment: z.string().optional(),
  topics: z.array(TopicSchema).optional(),
  firstRunAt: Instant.optional(),
});

/** What every act takes; `id` binds it to one attachment. */
export const Act = z.strictObject({
  by: z.string().max(200).optional(),
  reason: z.string().max(1_000).optional(),
  id: z.string().max(100).optional(),
});
export type Act = z.infer<typeof Act>;
export const HandBackAct = Act.extend({ note: z.string().max(1_000).optional() });
export type HandBackAct = z.infer<typeof HandBackAct>;
export const PauseAct = Act.extend({ until: Instant.optional() });
export type PauseAct = z.infer<typeof PauseAct>;
export const SnoozeAct = Act.extend({ until: Instant.optional(), for: Duration.optional() }).refine(
  (act) => (act.until === undefined) !== (act.for === undefined),
  { error: 'needs exactly one of until and for', path: ['until'] },
);
export type SnoozeAct = z.infer<typeof SnoozeAct>;
