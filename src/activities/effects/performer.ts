/** What it takes to carry out one kind of effect: a file of this folder each. */
import type { Channel, ConversationAddress, SendReceipt } from '../../channels/channel.ts';
import type { ConversationRecord, LedgerRow } from '../../desk/desk.ts';
import type { Performed, PerformInput } from '../../workflows/activity-types.ts';
import type { ActivityDeps } from '../deps.ts';

/** What an effect's own file is given to work with. */
export interface Performing {
  readonly deps: ActivityDeps;
  readonly input: PerformInput;
  readonly row: LedgerRow;
  /** Null: the desk does not know it (yet), or the agent is attached to the business. */
  readonly conversation: ConversationRecord | null;
  /** Undefined: the conversation lives in no channel of ours. */
  readonly channel: Channel | undefined;
  /** Null: there is nobody to write to. */
  readonly to: ConversationAddress | null;
  readonly signal: AbortSignal;
  readonly now: number;
}

/** One kind of effect. */
export interface EffectKindPerformer {
  /** Rules and limits, before the permit. Null: go ahead. */
  before(performing: Performing): Promise<Performed | null>;
  /** The call itself: what the provider says it is, or null where it says nothing. @throws {ChannelError} */
  call(performing: Performing): Promise<SendReceipt | null>;
  /** Once it is written down that the call was made. */
  afterwards?(performing: Performing, receipt: SendReceipt | null): Promise<void>;
  /** The provider refuses all that is ours: keeps others of this kind from trying. How long to wait, ms. */
  shut?(performing: Performing, code: string): Promise<number | undefined>;
  /** The provider says that the person wants no marketing: keeps others of this kind from trying it on them. */
  marketingStopped?(performing: Performing): Promise<void>;
  /** Was the call of a lost attempt made? `repeatable`: making it twice is making it once. */
  lookUp(
    performing: Performing,
  ): Promise<'repeatable' | 'cannot_know' | { readonly made: boolean; readonly providerId?: string }>;
}
