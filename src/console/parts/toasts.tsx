/** What was done, said once at the edge of the page, with the way back where there is one. */
import { useSyncExternalStore } from 'react';
import { useSay } from '../words/words.ts';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly undo?: (() => void) | undefined;
  readonly about?: string | undefined;
}

/** Long enough to read and to reach the button; WCAG 2.2.1 is met because the act stays undoable in the run itself. */
const SHOWN_MS = 10_000;

let toasts: readonly Toast[] = [];
let next = 1;
const listeners = new Set<() => void>();

function show(changed: readonly Toast[]): void {
  toasts = changed;
  for (const listener of listeners) listener();
}

/** @param of.about what it is about: what was said of that before is no longer true. */
export function toast(text: string, of: Pick<Toast, 'undo' | 'about'> = {}): void {
  const id = next++;
  const others = toasts.filter(({ about }) => about === undefined || about !== of.about);
  show([...others.slice(-2), { id, text, ...of }]);
  window.setTimeout(() => dismiss(id), SHOWN_MS);
}

function dismiss(id: number): void {
  show(toasts.filter((one) => one.id !== id));
}

export function Toasts() {
  const say = useSay();
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className="toasts" role="status">
      {shown.map(({ id, text, undo }) => (
        <div key={id} className="toast">
          <span>{text}</span>
          <span className="bar">
            {undo && (
              <button
                type="button"
                onClick={() => {
                  dismiss(id);
                  undo();
                }}
              >
                {say('act.undo')}
              </button>
            )}
            <button type="button" className="plain" aria-label={say('act.close')} onClick={() => dismiss(id)}>
              ×
            </button>
          </span>
        </div>
      ))}
    </div>
  );
}
