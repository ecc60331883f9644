/** Where the reader is, in the address: every view can be linked to, and Back goes back. */
import { useMemo, useSyncExternalStore, type AnchorHTMLAttributes, type MouseEvent } from 'react';
import { addressHere, placeOf, type Place } from './place.ts';

export type { Place };

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('popstate', listener);
  };
}

export function usePlace(): Place {
  const address = useSyncExternalStore(subscribe, addressHere);
  return useMemo(() => placeOf(address), [address]);
}

export function go(to: string, how: 'push' | 'replace' = 'push'): void {
  if (to === addressHere()) return;
  if (how === 'push') window.history.pushState(null, '', to);
  else window.history.replaceState(null, '', to);
  for (const listener of listeners) listener();
}

/** The same path with other query values; null takes one away. */
export function withQuery({ query }: Place, changes: Readonly<Record<string, string | null>>, path?: string): string {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes))
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
  const text = next.toString();
  return `${path ?? window.location.pathname}${text === '' ? '' : `?${text}`}`;
}

/** A link that stays in this page; with a modifier key the browser does what it always does. */
export function Link({ to, ...rest }: { readonly to: string } & AnchorHTMLAttributes<HTMLAnchorElement>) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(to);
  };
  return <a href={to} onClick={follow} {...rest} />;
}
