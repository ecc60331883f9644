/** `erp` of a tenant. */
import { z } from 'zod';

const callsPerSecond = z.number().positive().max(1_000);

/** A made-up business in the desk's own database: to try things with. */
export const DemoErpConfig = z.strictObject({
  kind: z.literal('demo'),
  /** `small` where many tenants are loaded. */
  size: z.enum(['full', 'small']).default('full'),
  /** Another seed, another business. */
  seed: z.string().min(1).max(60).default('demo'),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, { error: 'must be an ISO 4217 code such as EUR' })
    .default('EUR'),
  /** As if it could bear no more. Absent: no limit. */
  callsPerSecond: callsPerSecond.optional(),
});
export type DemoErpConfig = z.infer<typeof DemoErpConfig>;

/** A server that answers docs/erp.openapi.json. */
export const HttpErpConfig = z.strictObject({
  kind: z.literal('http'),
  url: z.url({ protocol: /^https?$/, error: 'must be an address beginning with https:// or http://' }),
  /** Sent as `Authorization: Bearer`. */
  token: z.string().min(16, { error: 'must have at least 16 characters' }).max(2_000),
  callsPerSecond: callsPerSecond.default(5),
});
export type HttpErpConfig = z.infer<typeof HttpErpConfig>;

export const ErpConfig = z.discriminatedUnion('kind', [DemoErpConfig, HttpErpConfig]);
export type ErpConfig = z.infer<typeof ErpConfig>;
