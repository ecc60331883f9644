/** What changed, as it happens in this process: what `GET /stream` tells. */
import type { JsonObject } from '../domain/json.ts';
import type { Subject, TenantId } from '../domain/ids.ts';

export interface Change {
  readonly tenant: TenantId;
  readonly type: 'run' | 'message' | 'event' | 'switch';
  readonly subject: Subject | null;
  /** Enough to know what to read again; never a customer's words. */
  readonly data: JsonObject;
}
export interface NumberedChange extends Change {
  /** Counts up; begins at the process's start, so that an id of an earlier process is older than all. */
  readonly id: number;
}

export interface Changes {
  publish(change: Change): void;
  /** @returns how to stop. */
  subscribe(listener: (change: NumberedChange) => void): () => void;
  /** What is remembered after `id`, oldest first; null when some of it is forgotten: read everything again. */
  since(id: number): readonly NumberedChange[] | null;
}

/** A reader that is away for longer than this many changes reads everything again. */
const REMEMBERED = 1_000;

export function createChanges(): Changes {
  const listeners = new Set<(change: NumberedChange) => void>();
  const remembered: NumberedChange[] = [];
  const first = Date.now() * 1_000;
  let next = first;
  return {
    publish(change) {
      const numbered = { ...change, id: next++ };
      remembered.push(numbered);
      if (remembered.length > REMEMBERED) remembered.shift();
      for (const listener of listeners) listener(numbered);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    since(id) {
      const oldest = remembered[0]?.id ?? next;
      return id >= oldest - 1 && id < next ? remembered.filter((change) => change.id > id) : null;
    },
  };
}
