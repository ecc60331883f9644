import type { AttachmentId, EffectKey } from '../../domain/ids.ts';
import type { EffectKind } from '../../domain/schemas/effects.ts';
import type { DeliveryStatus } from '../../domain/schemas/events.ts';
import type { EndReason, TerminalStatus } from '../../domain/statuses.ts';
import type { ActKind } from './acts.ts';
import type { LedgerState } from './ledger.ts';

export interface TickRecord {
  readonly attachment: AttachmentId;
  readonly tick: number;
  readonly attempt: number;
  readonly why: 'due' | 'event' | 'operator';
  readonly dueAt: string;
  readonly startedAt: string;
  readonly endedAt: string;
  /** Desk keys of the events it consumed. */
  readonly events: readonly string[];
  readonly outcome:
    | {
        readonly kind: 'reschedule';
        readonly nextRunAt: string | null;
        readonly why: string | null;
        readonly effects: readonly EffectKind[];
      }
    | {
        readonly kind: 'finish';
        readonly status: TerminalStatus;
        readonly reason: EndReason;
        readonly effects: readonly EffectKind[];
      }
    | { readonly kind: 'failed'; readonly fault: string; readonly message: string }
    | { readonly kind: 'switched_off'; readonly by: string };
}
/** One line of a run's timeline. */
export type TimelineEntry = {
  readonly at: string;
  /** Stable, and unique within the run's timeline. */
  readonly entryId: string;
} & (TickEntry | EventEntry | EffectEntry | ActEntry | EndEntry);

type TickEntry = { readonly entry: 'tick'; readonly tokens: null; readonly cost: null } & Omit<
  TickRecord,
  'attachment'
>;
interface EventEntry {
  readonly entry: 'event';
  readonly id: string;
  readonly type: string;
  readonly stale: boolean;
  readonly text: string | null;
  /** Of an outgoing message: whose it is. */
  readonly author: string | null;
  /** Who wrote it, closed it, took it, where that was told. */
  readonly by: string | null;
}
interface EffectEntry {
  readonly entry: 'effect';
  readonly key: EffectKey;
  readonly kind: EffectKind;
  readonly state: LedgerState;
  /** Why it was refused, failed or was taken back; while it waits, what holds it back. */
  readonly reason: string | null;
  /** Held back until then; null: not held back, or until the run is resumed. */
  readonly dueAt: string | null;
  readonly text: string | null;
  readonly status: DeliveryStatus | null;
  readonly claimedAt: string;
  readonly sentAt: string | null;
  readonly deliveredAt: string | null;
  readonly readAt: string | null;
  /** What the provider says went wrong. */
  readonly error: string | null;
}
interface ActEntry {
  readonly entry: 'act';
  readonly act: ActKind;
  readonly actor: string;
  readonly comment: string | null;
  readonly stale: boolean;
}
interface EndEntry {
  readonly entry: 'end';
  readonly status: TerminalStatus;
  readonly reason: EndReason;
  readonly actor: string | null;
  readonly comment: string | null;
}
