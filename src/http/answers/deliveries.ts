/** Outgoing webhooks, and the endpoints they go to. */
import { z } from 'zod';
import { SubjectSchema } from '../../domain/schemas/ids.ts';
import { JsonValue } from '../../domain/schemas/values.ts';
import { WEBHOOK_STATES, WEBHOOK_TYPES } from '../../domain/webhooks.ts';

export const Delivery = z.object({
  id: z.string(),
  tenant: z.string(),
  endpoint: z.string(),
  type: z.enum(WEBHOOK_TYPES),
  subject: SubjectSchema,
  state: z.enum(WEBHOOK_STATES),
  attempts: z.int(),
  lastStatus: z.int().nullable(),
  lastError: z.string().nullable(),
  createdAt: z.string(),
  nextAttemptAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
});
export type Delivery = z.infer<typeof Delivery>;

const Attempt = z.object({
  number: z.int(),
  at: z.string(),
  durationMs: z.int(),
  status: z.int().nullable(),
  error: z.string().nullable(),
});
export const OneDelivery = Delivery.extend({ log: z.array(Attempt), body: JsonValue });
export type OneDelivery = z.infer<typeof OneDelivery>;

export const Endpoint = z.object({
  id: z.string(),
  url: z.string(),
  /** Null: all of them. */
  types: z.array(z.string()).nullable(),
  enabled: z.boolean(),
  off: z.object({ since: z.string(), by: z.string(), reason: z.string().nullable() }).nullable(),
});
export type Endpoint = z.infer<typeof Endpoint>;
