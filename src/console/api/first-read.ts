/**
 * What the page is about comes first: counts beside it, and what else can wait, are read when it is there. The server has
 * one thread, and on an embedded database so has every query.
 */
import { useEffect, useSyncExternalStore } from 'react';

let isDone = false;
const listeners = new Set<() => void>();

/** @param done for good: the list is there, was refused, or the screen has none. */
export function useFirstRead(done: boolean): void {
  useEffect(() => {
    if (!done || isDone) return;
    isDone = true;
    for (const listener of listeners) listener();
  }, [done]);
}

export function useFirstReadDone(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isDone,
  );
}
