/** What this browser remembers of its reader: theme, language, tenant. Nothing else is kept here. */

export type Remembered = 'theme' | 'language' | 'tenant';

const listeners = new Set<() => void>();

export function recall(name: Remembered): string | null {
  try {
    return window.localStorage.getItem(`attache.${name}`);
  } catch {
    // A frame of another site may have no storage: then nothing is remembered.
    return null;
  }
}

/** Null forgets. */
export function remember(name: Remembered, value: string | null): void {
  try {
    if (value === null) window.localStorage.removeItem(`attache.${name}`);
    else window.localStorage.setItem(`attache.${name}`, value);
  } catch {
    return;
  }
  for (const listener of listeners) listener();
}

/** @returns how to stop. */
export function onRemembered(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
