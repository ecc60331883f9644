/** One clock for the whole page: relative times move together, twice a minute, and cost one timer. */
import { useSyncExternalStore } from 'react';

/** "in 3 min" may be that much behind. */
const STEP_MS = 15_000;

const listeners = new Set<() => void>();
let now = Date.now();
let timer: number | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= window.setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, STEP_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

/** Milliseconds since 1970, as of the last step: the same for all that is shown at once. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => {
    if (listeners.size === 0) now = Date.now();
    return now;
  });
}
