import type { TenantId } from '../../domain/ids.ts';

/** The kill switch: one row stops every tick and send it covers, no worker needed. */
export interface Switch {
  readonly tenant: TenantId;
  readonly scope: 'tenant' | 'agent' | 'channel';
  /** Agent key or channel key; `*` for the tenant. */
  readonly key: string;
  readonly by: string;
  readonly reason: string | null;
  readonly at: string;
}
export interface Switches {
  turnOff(entry: Switch): Promise<void>;
  turnOn(entry: { readonly tenant: TenantId; readonly scope: Switch['scope']; readonly key: string }): Promise<boolean>;
  list(tenant: TenantId): Promise<readonly Switch[]>;
}
