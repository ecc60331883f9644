import type { AttachmentId, EffectKey, Subject, TenantId } from '../../domain/ids.ts';
import type { Effect } from '../../domain/schemas/effects.ts';

/**
 * `claimed` nothing tried yet; `sending` a request may be on its way; `sent` the provider has it; `unknown` its fate
 * cannot be known; `failed` for good; `refused` the rules said no; `cancelled` taken back before it was tried.
 */
export type LedgerState = 'claimed' | 'sending' | 'sent' | 'unknown' | 'failed' | 'refused' | 'cancelled';

export interface LedgerRow {
  readonly key: EffectKey;
  readonly tenant: TenantId;
  readonly subject: Subject;
  readonly attachment: AttachmentId;
  readonly effect: Effect;
  /** Hash of the key; what a provider hands back. */
  readonly reference: string;
  readonly state: LedgerState;
  /** Of the activity attempt that last claimed it: `{perform number}.{activity attempt}`. */
  readonly attempt: string;
  readonly providerId: string | null;
  readonly reason: string | null;
  /** Since when it has been `sending`. */
  readonly sendingSince: string | null;
  /** How long that has been, ms by the database's clock when the row was read: the clocks of processes differ. */
  readonly sendingForMs: number | null;
}

export interface Ledger {
  /** Inserts as `claimed`, or takes over a row that is still `claimed`; any other row comes back as it stands. */
  claim(claim: {
    readonly key: EffectKey;
    readonly tenant: TenantId;
    readonly subject: Subject;
    readonly attachment: AttachmentId;
    readonly effect: Effect;
    readonly reference: string;
    readonly attempt: string;
  }): Promise<LedgerRow>;
  /** Compare-and-set `claimed` → `sending` for this attempt, or `sending` → `sending` for a resend that is known to be safe. */
  beginSending(key: EffectKey, attempt: string, from: 'claimed' | 'sending'): Promise<boolean>;
  /** `sending` → `claimed`: known that nothing went out. */
  notSent(key: EffectKey, attempt: string): Promise<void>;
  /** → `sent`; a message.send also becomes a message of the transcript, in the same transaction. First one wins. */
  sent(done: { readonly key: EffectKey; readonly providerId: string | null; readonly at: string }): Promise<void>;
  /** What holds it back, and until when (null: until the run is resumed): shown until it is tried again. Changes no state. */
  parked(hold: { readonly key: EffectKey; readonly reason: string; readonly until: string | null }): Promise<void>;
  /**
   * → `unknown`, `failed`, `refused` or `cancelled`, unless already `sent`. `given_up`: not done in time, which is `failed`.
   * One that is `sending` can be neither cancelled nor given up: `unknown`.
   */
  settle(end: {
    readonly key: EffectKey;
    readonly state: 'unknown' | 'failed' | 'refused' | 'cancelled' | 'given_up';
    readonly reason: string;
    /** It failed because the person cannot be reached at all: told under a name of its own too. */
    readonly unreachable?: boolean;
  }): Promise<void>;
  get(key: EffectKey): Promise<LedgerRow | null>;
  /** The send that such a status is about, if its message stands as failed now. `sentAt`: ISO-8601 UTC. */
  undelivered(status: {
    readonly tenant: TenantId;
    readonly subject: Subject;
    readonly providerId: string;
    readonly reference?: string | undefined;
  }): Promise<(Pick<LedgerRow, 'key' | 'attachment' | 'effect'> & { readonly sentAt: string }) | null>;
  /** Has a message of one of these sends been reported as delivered? */
  haveArrived(keys: readonly EffectKey[]): Promise<boolean>;
  /** Has a status or an echo carried this reference since? Answers the provider's id. */
  seenByProvider(reference: string): Promise<string | null>;
}
