/** The agents of a server. */
import { z } from 'zod';
import { Policy } from '../../domain/schemas/policy.ts';
import { RunStatusSchema } from '../../domain/schemas/runs.ts';
import { Switch } from './switches.ts';

export const AgentView = z.object({
  key: z.string(),
  version: z.int(),
  title: z.string(),
  answers: z.boolean(),
  attachesTo: z.enum(['conversation', 'business']),
  slot: z.string(),
  model: z.boolean(),
  wakeOn: z.array(z.string()),
  /** With the tenant's own bounds. */
  policy: Policy,
  /** JSON Schema. */
  configSchema: z.looseObject({}),
  runs: z.array(z.object({ version: z.int().nullable(), status: RunStatusSchema, count: z.int() })),
  /** The kill switch that stops it; null: none does. */
  off: Switch.nullable(),
});
export type AgentView = z.infer<typeof AgentView>;
