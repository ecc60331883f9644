/** API keys. */
import { z } from 'zod';
import { ROLES } from '../../domain/roles.ts';

export const Key = z.object({
  id: z.string(),
  /** How its secret begins. */
  prefix: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  state: z.enum(['active', 'rotated', 'expired', 'revoked']),
  createdAt: z.string(),
  createdBy: z.string(),
  expiresAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
  replacedBy: z.string().nullable(),
});
export type Key = z.infer<typeof Key>;

/** In the answer that made it alone. */
export const SecretKey = Key.extend({ secret: z.string() });
export type SecretKey = z.infer<typeof SecretKey>;
