import type { TenantId } from '../../domain/ids.ts';

/** A channel that refuses everything we send until a person mends it: a bad token, a locked account, no payment method. */
export interface ShutChannel {
  readonly channel: string;
  /** The provider's own, of the last refusal. */
  readonly code: string;
  /** Of the first refusal. */
  readonly since: string;
  /** Then one message is let through, to see. */
  readonly until: string;
}

interface ChannelOf {
  readonly tenant: TenantId;
  readonly channel: string;
}

export interface ShutChannels {
  /** It refused. Waits longer each time: a minute, then twice as long, a quarter of an hour at most. @returns that wait, ms. */
  shut(refused: ChannelOf & { readonly code: string }): Promise<number>;
  /** 0: send. Where its time is over one caller is let through and the others wait until that one knows. Else ms to wait. */
  wait(of: ChannelOf): Promise<number>;
  /** It took a message. */
  reopen(of: ChannelOf): Promise<void>;
  list(tenant: TenantId): Promise<readonly ShutChannel[]>;
}
