/** Who asks. */
import { z } from 'zod';
import { ROLES } from '../../domain/roles.ts';

/** Who asks, as what, and for which tenants. */
export const Session = z.object({
  /** Of the key. */
  key: z.string(),
  /** Null for a machine, and where nobody needs to sign in. */
  person: z.string().nullable(),
  /** How the audit names them. */
  actor: z.string(),
  role: z.enum(ROLES),
  tenants: z.array(z.object({ id: z.string(), name: z.string(), timeZone: z.string() })),
  /** False: this machine is served without keys. */
  signInNeeded: z.boolean(),
  /** The namespace's page of Temporal's Web UI: `/workflows/{workflowId}` follows. Null: not known, or none of a panel's business. */
  temporalWeb: z.string().nullable(),
  /** Of an embedded panel: its conversation and what it may do there. */
  panel: z.object({ conversation: z.string(), acts: z.array(z.string()), expiresAt: z.string() }).nullable(),
});
export type Session = z.infer<typeof Session>;
