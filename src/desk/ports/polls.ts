import type { Subject, TenantId } from '../../domain/ids.ts';

/** How far channels have been asked for what their webhooks did not bring. */
export interface Polls {
  /** ISO-8601 UTC; null: never. */
  askedUntil(of: PollOf): Promise<string | null>;
  /** Only moves forward. */
  recordAsked(of: PollOf & { readonly until: string }): Promise<void>;
  /** What the channel noted of the conversation at its last look; null: it had none. */
  noted(of: PollOf & { readonly subject: Subject }): Promise<string | null>;
  note(of: PollOf & { readonly subject: Subject; readonly note: string }): Promise<void>;
}

interface PollOf {
  readonly tenant: TenantId;
  readonly channel: string;
}
