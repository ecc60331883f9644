/**
 * What an outgoing webhook says: a Standard Webhooks payload that is a CloudEvent 1.0 in structured form as well. It
 * names things and how they stand; whoever needs the words (a transcript, a comment) asks the API for them.
 */
import { z } from 'zod';
import { WEBHOOK_TYPES } from '../webhooks.ts';
import { RunSummary } from './runs.ts';
import { SubjectSchema, TenantIdSchema } from './ids.ts';
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
  data: z.union([z.object({ run: NoticedRun }), z.object({ effect: NoticedEffect })]),
});
export type Notice = z.infer<typeof Notice>;
