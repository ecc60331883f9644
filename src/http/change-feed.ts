/**
 * The desk's changes, told to every stream that is open here, whichever process made them. The log is read while
 * somebody listens; its numbers are given before the commit, so a lower one may show up after a higher one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Change, ChangeLog } from '../desk/desk.ts';
import type { TenantId } from '../domain/ids.ts';

/** A change is to be seen everywhere within a second, and most of that is the run's own. A reading of nothing takes a millisecond. */
const READ_EVERY_MS = 100;
/** Changes in one reading: five times what a busy server makes between two. */
const PAGE = 1_000;
/** No transaction of ours takes longer from its number to its commit: a number missing for longer was rolled back. */
const LATE_MS = 5_000;
/** How long a reader may be away and still resume. */
const KEPT_MS = 15 * 60_000;
const PRUNE_EVERY_MS = 60_000;

export type Listener = (change: Change) => void;

export interface ChangeFeed {
  /** From the moment it is done nothing is missed. @returns how to stop. */
  subscribe(tenant: TenantId, listener: Listener): Promise<() => void>;
  /** How many listen to this tenant. */
  listeners(tenant: TenantId): number;
  /** What a reader has missed since it heard `seq`, and perhaps a little that it has not; null: more than is kept. */
  since(tenant: TenantId, seq: number): Promise<readonly Change[] | null>;
  /** Reads and prunes until aborted; never throws. */
  run(signal: AbortSignal): Promise<void>;
}

interface Deps {
  readonly log: ChangeLog;
  /** A reading that failed; the next is tried all the same. */
  readonly failed: (error: unknown) => void;
}

export function createChangeFeed({ log, failed }: Deps): ChangeFeed {
  const listeners = new Map<TenantId, Set<Listener>>();
  /** There is one while somebody listens. */
  let reader: Promise<Reader> | null = null;

  async function read(): Promise<void> {
    if (listeners.size === 0) reader = null;
    for (const change of (await (await reader)?.next()) ?? [])
      for (const listener of listeners.get(change.tenant) ?? []) listener(change);
  }

  return {
    async subscribe(tenant, listener) {
      const theirs = listeners.get(tenant) ?? new Set();
      listeners.set(tenant, theirs.add(listener));
      const stop = () => {
        if (theirs.delete(listener) && theirs.size === 0) listeners.delete(tenant);
      };
      try {
        await (reader ??= Reader.fromNow(log));
      } catch (error) {
        reader = null;
        stop();
        throw error;
      }
      return stop;
    },
    listeners: (tenant) => listeners.get(tenant)?.size ?? 0,
    async since(tenant, seq) {
      const kept = (await log.kept()) ?? { first: 1, last: 0 };
      if (!(seq >= kept.first - 1 && seq <= kept.last)) return null;
      const missed = await log.after({ seq, tenant, limit: PAGE });
      return missed.length < PAGE ? missed : null;
    },
    async run(signal) {
      for (let pruned = 0; !signal.aborted;) {
        try {
          await read();
          if (Date.now() - pruned >= PRUNE_EVERY_MS) {
            pruned = Date.now();
            await log.prune(KEPT_MS);
          }
        } catch (error) {
          failed(error);
        }
        await sleep(READ_EVERY_MS, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

/** Reads each change once, late ones too. */
class Reader {
  private readonly log: ChangeLog;
  /** All up to here are read, or will never come. */
  private low: number;
  /** Read, above `low`, with the time of reading. */
  private readonly seen: Map<number, number>;

  private constructor(log: ChangeLog, low: number) {
    this.log = log;
    this.low = low;
    this.seen = new Map();
  }

  /** Begins after all that is visible now; what is being committed just now comes. */
  static async fromNow(log: ChangeLog): Promise<Reader> {
    const last = (await log.kept())?.last ?? 0;
    const reader = new Reader(log, Math.max(0, last - PAGE / 2));
    await reader.next();
    return reader;
  }

  async next(): Promise<readonly Change[]> {
    const read = await this.log.after({ seq: this.low, limit: PAGE });
    const fresh = read.filter(({ seq }) => !this.seen.has(seq));
    const now = Date.now();
    for (const { seq } of fresh) this.seen.set(seq, now);
    this.raise(read.length === PAGE, now);
    return fresh;
  }

  /** Moves on over what is read, and over gaps that are too old, or in the way of a full page, to be filled. */
  private raise(isFull: boolean, now: number): void {
    for (const seq of [...this.seen.keys()].sort((a, b) => a - b)) {
      const isGap = seq !== this.low + 1;
      if (isGap && !isFull && now - (this.seen.get(seq) ?? now) < LATE_MS) return;
      this.seen.delete(seq);
      this.low = seq;
    }
  }
}
