/** What stays while the screens change: where one is, whose data it is, whether it is live, and who one is. */
import { useEffect, useRef, useState } from 'react';
import { screenAddress, type Screen } from '../addresses.ts';
import { useConnection } from '../api/context.ts';
import { useFirstRead } from '../api/first-read.ts';
import { useLive, type LiveState } from '../api/live.ts';
import { isTyping, useKeys } from '../keys.ts';
import { Fetched } from '../parts/fetched.tsx';
import { Toasts } from '../parts/toasts.tsx';
import { go, Link, type Place } from '../router.tsx';
import { SHOW } from '../screens/screens.tsx';
import { Instant } from '../time/instant.tsx';
import { useSay } from '../words/words.ts';
import { KeysHelp } from './keys-help.tsx';
import { Nav } from './nav.tsx';
import { SearchBox } from './search-box.tsx';
import { You } from './you.tsx';

interface Framed {
  readonly screen: Screen;
  readonly place: Place;
  readonly signOut: () => Promise<void>;
}

export function Frame({ screen, place, signOut }: Framed) {
  const say = useSay();
  const { server } = useConnection();
  const live = useLive();
  useFirstRead(screen !== 'runs');
  const [help, setHelp] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const main = useRef<HTMLElement>(null);
  useKeys({
    '?': () => setHelp(true),
    '/': () => search.current?.focus(),
  });
  useEffect(() => {
    document.title = `${say(`nav.${screen}`)} · ${server.tenant} · Attaché`;
  }, [say, screen, server.tenant]);
  useEffect(() => {
    // A reader who changed the screen by the keyboard goes on in it; one who types is left alone.
    if (!isTyping(document.activeElement)) main.current?.focus();
  }, [screen]);
  const Show = SHOW[screen];
  return (
    <div className="frame">
      <a className="skip" href="#main">
        {say('nav.skip')}
      </a>
      <header className="top">
        <Link className="brand" to={screenAddress(server.tenant, 'runs')}>
          Attaché
        </Link>
        <TenantSwitch screen={screen} />
        <SearchBox ref={search} place={place} screen={screen} />
        <span className="spread" />
        <Live state={live} />
        <You signOut={signOut} showKeys={() => setHelp(true)} />
      </header>
      <Nav screen={screen} />
      <main id="main" className="main" tabIndex={-1} ref={main}>
        <Fetched key={screen}>
          <Show place={place} />
        </Fetched>
      </main>
      <Toasts />
      {help && <KeysHelp onClose={() => setHelp(false)} />}
    </div>
  );
}

function TenantSwitch({ screen }: { readonly screen: Screen }) {
  const say = useSay();
  const { server, session } = useConnection();
  if (session.tenants.length === 1) return <span>{session.tenants[0]?.name}</span>;
  return (
    <select
      aria-label={say('frame.tenant')}
      value={server.tenant}
      onChange={({ target }) => go(screenAddress(target.value, screen))}
    >
      {session.tenants.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

function Live({ state }: { readonly state: LiveState }) {
  const say = useSay();
  return (
    <span className="live" data-state={state.is} role="status">
      <span className="dot" aria-hidden="true" />
      <span>
        {say(`live.${state.is}`)}
        {state.is === 'away' && (
          <>
            {' '}
            <Instant at={new Date(state.since).toISOString()} how="clock" />
          </>
        )}
      </span>
    </span>
  );
}
