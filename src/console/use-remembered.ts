import { useSyncExternalStore } from 'react';
import { onRemembered, recall, type Remembered } from './remembered.ts';

/** What the browser remembers, and again when that changes. */
export function useRemembered(name: Remembered): string | null {
  return useSyncExternalStore(onRemembered, () => recall(name));
}
