import type { TenantId } from '../../domain/ids.ts';

/** How far channels have been asked for what their webhooks did not bring. */
export interface Polls {
  /** ISO-8601 UTC; null: never. */
  askedUntil(of: { readonly tenant: TenantId; readonly channel: string }): Promise<string | null>;
  /** Only moves forward. */
  recordAsked(of: { readonly tenant: TenantId; readonly channel: string; readonly until: string }): Promise<void>;
}
