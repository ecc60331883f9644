/** What this browser remembers of its reader: theme, language, tenant. Nothing else is kept here. */
import { useSyncExternalStore } from 'react';

type Name = 'theme' | 'language' | 'tenant';

const listeners = new Set<() => void>();

export function recall(name: Name): string | null {
  try {
    return window.localStorage.getItem(`attache.${name}`);
  } catch {
    // A frame of another site may have no storage: then nothing is remembered.
    return null;
  }
}

/** Null forgets. */
export function remember(name: Name, value: string | null): void {
  try {
    if (value === null) window.localStorage.removeItem(`attache.${name}`);
    else window.localStorage.setItem(`attache.${name}`, value);
  } catch {
    return;
  }
  for (const listener of listeners) listener();
}

export function useRemembered(name: Name): string | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => recall(name),
  );
}
