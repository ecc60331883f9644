/** One box for a conversation, a contact or a run. It narrows the list of runs; from another screen Enter goes there. */
import { useEffect, useState, type Ref } from 'react';
import { screenAddress, type Screen } from '../addresses.ts';
import { useServer } from '../api/context.ts';
import { go, withQuery, type Place } from '../router.tsx';
import { useSay } from '../words/words.ts';

/** After the last key: short enough to feel at once, long enough not to ask at every letter. */
const PAUSE_MS = 200;

export function SearchBox({
  ref,
  place,
  screen,
}: {
  readonly ref: Ref<HTMLInputElement>;
  readonly place: Place;
  readonly screen: Screen;
}) {
  const say = useSay();
  const { tenant } = useServer();
  const asked = screen === 'runs' ? (place.query.get('q') ?? '') : '';
  const [text, setText] = useState(asked);
  useEffect(() => setText(asked), [asked]);
  const look = (words: string) => {
    if (screen === 'runs') go(withQuery(place, { q: words }), 'replace');
    else if (words !== '') go(screenAddress(tenant, 'runs', { q: words }));
  };
  useEffect(() => {
    if (screen !== 'runs' || text.trim() === asked) return undefined;
    const timer = window.setTimeout(() => look(text.trim()), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          look(text.trim());
          // The keys of the list are next.
          document.getElementById('main')?.focus();
        }}
      >
        <input
          ref={ref}
          type="search"
          aria-label={say('frame.search')}
          placeholder={say('frame.searchHint')}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={({ key }) => {
            if (key === 'Escape') document.getElementById('main')?.focus();
          }}
        />
      </form>
    </search>
  );
}
