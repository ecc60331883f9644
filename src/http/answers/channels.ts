/** Channels, and how they have been lately. */
import { z } from 'zod';
import { Switch } from './switches.ts';

export const Channel = z.object({
  key: z.string(),
  kind: z.string(),
  /** False: it only tells; agents cannot write through it. */
  sends: z.boolean(),
  delivered: z.array(z.object({ month: z.string(), service: z.int(), template: z.int() })),
  lastInboundAt: z.string().nullable(),
  lastOutboundAt: z.string().nullable(),
  /** Our sends of the last 24 hours. */
  lately: z.object({ sent: z.int(), failed: z.int() }),
  /** The kill switch that stops it; null: none does. */
  off: Switch.nullable(),
  /** The provider refuses our token or our account, with this code; then one message is let through to see. Null: it does not. */
  shut: z.object({ code: z.string(), since: z.string(), until: z.string() }).nullable(),
});
export type Channel = z.infer<typeof Channel>;
