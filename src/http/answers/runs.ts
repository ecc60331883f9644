/** Runs in lists, and their counts; one run is of `domain/schemas/runs.ts`. */
import { z } from 'zod';
import { EndReasonSchema, RunStatusSchema, RunSummary } from '../../domain/schemas/runs.ts';
import { PHASES } from '../../domain/statuses.ts';

export const ListedRun = RunSummary.extend({
  contact: z.object({ name: z.string().nullable() }).nullable(),
  /** US dollars; null: no model was called. */
  costUsd: z.number().nullable(),
  /** Its latest wake-up failed; or it is due for more than a minute (ten, while it thinks) or held up. */
  trouble: z.enum(['failing', 'overdue']).nullable(),
  /** Why its wake-up cannot begin, as a worker said last. */
  heldUp: z.string().nullable(),
});
export type ListedRun = z.infer<typeof ListedRun>;

const count = z.int();
/** How many runs there are of each kind, zeros left out. */
export const RunCounts = z.object({
  total: count,
  failing: count,
  overdue: count,
  status: z.partialRecord(RunStatusSchema, count),
  reason: z.partialRecord(EndReasonSchema, count),
  phase: z.partialRecord(z.enum(PHASES), count),
  agents: z.array(z.object({ agent: z.string(), version: z.int().nullable(), count })),
});
export type RunCounts = z.infer<typeof RunCounts>;

/** How many runs stand and ended so, how late the latest wake-up is, and what all have cost. */
export const Stats = z.object({
  byStatus: z.partialRecord(RunStatusSchema, count),
  byReason: z.partialRecord(EndReasonSchema, count),
  byAgent: z.array(z.object({ agent: z.string(), status: z.string(), count })),
  lag: z.object({ overdue: count, maxMs: z.number() }),
  spend: z.object({ costUsd: z.number().nullable() }),
});
export type Stats = z.infer<typeof Stats>;
