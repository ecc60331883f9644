import type { JsonObject } from '../../domain/json.ts';
import type { EventSubject, TenantId } from '../../domain/ids.ts';

/** `run` a run's row; `effect` one of its effects; `act` something was asked of it; the others as they are called. */
export type ChangeType =
  | 'run'
  | 'effect'
  | 'act'
  | 'message'
  | 'event'
  | 'conversation'
  | 'switch'
  | 'delivery'
  | 'investigation'
  | (string & {});

/** Something is no longer as it was: what to read again, never what it says. */
export interface Change {
  /** Counts up as changes are made, which is not quite the order in which they become visible. */
  readonly seq: number;
  readonly at: string;
  readonly tenant: TenantId;
  readonly type: ChangeType;
  readonly subject: EventSubject | null;
  readonly data: JsonObject;
}

export interface ChangeLog {
  /** After `seq`, of every tenant or one, lowest first. */
  after(query: {
    readonly seq: number;
    readonly tenant?: TenantId;
    readonly limit: number;
  }): Promise<readonly Change[]>;
  /** Lowest and highest that is kept; null: none. */
  kept(): Promise<{ readonly first: number; readonly last: number } | null>;
  /** Forgets what is older. */
  prune(olderThanMs: number): Promise<void>;
}
