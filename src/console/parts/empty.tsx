/** Nothing to show, and what would change that. */
import type { ReactNode } from 'react';
import { useSay } from '../words/words.ts';

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Reading() {
  const say = useSay();
  return (
    <p className="empty" role="status">
      {say('list.loading')}
    </p>
  );
}
