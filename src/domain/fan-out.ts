/** One thing done to many runs, as everybody who touches it names it: an event of a topic, or an act on all that fit a filter. */
import type { EventRef } from './event-refs.ts';
import type { AgentKey, Slot, Subject, Topic } from './ids.ts';
import type { Phase } from './statuses.ts';

export const BULK_ACTIONS = ['detach', 'pause', 'resume', 'snooze', 'wake'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** `done`: everybody had their turn. `stopping`, then `cancelled`: whoever's turn has begun has it, nobody else. */
export const FAN_OUT_STATES = ['running', 'stopping', 'done', 'cancelled'] as const;
export type FanOutState = (typeof FAN_OUT_STATES)[number];

export function isOver(state: FanOutState): boolean {
  return state === 'done' || state === 'cancelled';
}

/** `pending`: its turn has come and is not over. `skipped`: it had ended before. */
export const RECIPIENT_STATES = ['pending', 'done', 'skipped', 'failed'] as const;
export type RecipientState = (typeof RECIPIENT_STATES)[number];

/** Which live runs are meant; all of it must hold, and an empty filter means every one. */
export interface BulkFilter {
  readonly agent?: AgentKey;
  readonly version?: number;
  readonly subject?: Subject;
  readonly subjectPrefix?: string;
  readonly slot?: Slot;
  readonly phase?: Phase;
  /** The latest wake-up failed, or did not. */
  readonly failing?: boolean;
  readonly topic?: Topic;
  /** Due within this duration from when the act was asked for. */
  readonly dueWithin?: string;
  /** US dollars. */
  readonly costMin?: number;
  readonly q?: string;
}

export interface BulkTask {
  readonly kind: 'bulk';
  readonly action: BulkAction;
  readonly filter: BulkFilter;
  /** Of a pause or snooze, ISO-8601 UTC. */
  readonly until?: string;
  /** Of a snooze: a duration from when it was asked for. */
  readonly for?: string;
  readonly actor: string;
  readonly comment: string | null;
}
export interface TopicTask {
  readonly kind: 'topic';
  readonly topic: Topic;
  readonly event: EventRef;
  /** When the desk had the event: whoever was attached later has not missed it. */
  readonly storedAt: string;
}
export type FanOutTask = BulkTask | TopicTask;

/** How many runs it is for, and what became of them so far. */
export interface FanOutCounts {
  /** As counted when it began; some may have ended since. */
  readonly total: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
}

/** Runs a second that one tenant's fan-outs reach together, where its configuration names no other number: 10,000 in seven minutes. */
export const DEFAULT_PER_SECOND = 25;

/** What is left to do: nothing once it is over, whatever was counted at the beginning. */
export function pendingOf({
  state,
  total,
  done,
  skipped,
  failed,
}: FanOutCounts & { readonly state: FanOutState }): number {
  return state === 'running' ? Math.max(0, total - done - skipped - failed) : 0;
}
