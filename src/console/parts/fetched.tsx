/** Around what is fetched when it is wanted: says that it comes, and what to do when it does not. */
import { Component, Suspense, type ReactNode } from 'react';
import { useSay } from '../words/words.ts';
import { Reading } from './empty.tsx';

export class Fetched extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? <NotThere /> : <Suspense fallback={<Reading />}>{this.props.children}</Suspense>;
  }
}

/** The server is away, or has a newer console than this page is of. */
function NotThere() {
  const say = useSay();
  return (
    <div className="note" data-tone="trouble" role="alert">
      <strong>{say('problem.title')}</strong>
      <p>{say('problem.fetch')}</p>
      <div className="acts">
        <button type="button" onClick={() => window.location.reload()}>
          {say('problem.reload')}
        </button>
      </div>
    </div>
  );
}
