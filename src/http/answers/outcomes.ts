/** How runs ended, and the week ahead. */
import { z } from 'zod';
import { OUTCOME_GROUPS } from '../../desk/ports/reports.ts';
import { EndReasonSchema, RunStatusSchema } from '../../domain/schemas/runs.ts';

const count = z.int();
const rate = z.number().nullable();

/** What ended, of one day, agent, version, status or reason, or of all. */
export const EndedGroup = z.object({
  group: z.string(),
  ended: count,
  status: z.partialRecord(RunStatusSchema, count),
  reason: z.partialRecord(EndReasonSchema, count),
  /** Shares of what ended, 0 to 1; null where nothing did. COMPLETED or the customer's reply; EXITED_ON_OUTBOUND; REMOVED_BY_SYSTEM. */
  completion: rate,
  takeover: rate,
  failure: rate,
  ticks: count,
  costUsd: z.number().nullable(),
});
export type EndedGroup = z.infer<typeof EndedGroup>;

export const Outcomes = z.object({
  from: z.string(),
  to: z.string(),
  zone: z.string(),
  by: z.enum(OUTCOME_GROUPS),
  total: EndedGroup,
  items: z.array(EndedGroup),
  funnel: z.object({ attached: count, woke: count, spoke: count, answered: count, succeeded: count }),
  lag: z.object({ count, p50Ms: z.number().nullable(), p99Ms: z.number().nullable() }),
});
export type Outcomes = z.infer<typeof Outcomes>;

const Hour = z.object({
  at: z.string(),
  wakeUps: count,
  sends: count,
  pileUp: z.boolean(),
  agents: z.array(z.object({ agent: z.string(), wakeUps: count, sends: count })),
});
export const Calendar = z.object({
  zone: z.string(),
  from: z.string(),
  to: z.string(),
  pileUpFrom: count,
  items: z.array(Hour),
});
export type Calendar = z.infer<typeof Calendar>;
