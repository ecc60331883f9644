/** Kill switches. */
import { z } from 'zod';

export const Switch = z.object({
  scope: z.enum(['tenant', 'agent', 'channel']),
  key: z.string(),
  by: z.string(),
  reason: z.string().nullable(),
  at: z.string(),
});
export type Switch = z.infer<typeof Switch>;

/** What was asked for is in force; the warning says why it may not do what was meant. */
export const SwitchedOff = Switch.extend({ warning: z.string().nullable() });
