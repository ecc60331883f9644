/** Asking a channel for what its webhooks did not bring: what the workflow is given, and what it asks of the world. Plain values. */
import type { TenantId } from '../domain/ids.ts';

/** The workflow's type name: what a schedule needs, without the workflow's code. */
export const CHANNEL_POLL = 'channelPoll';

export interface ChannelPollInput {
  readonly v: 1;
  readonly tenant: TenantId;
  /** Key of the channel. */
  readonly channel: string;
}

export interface ChannelPolled {
  /** Everything until then has been asked for, ISO-8601 UTC. */
  readonly until: string;
  /** Facts that no webhook had brought. */
  readonly found: number;
}

export interface PollInput {
  readonly tenant: TenantId;
  readonly channel: string;
}

export interface PollActivities {
  pollChannel(input: PollInput): Promise<ChannelPolled>;
}
