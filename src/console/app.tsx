/** From the address to the page: the embedded panel, the sign-in, or the frame with one screen in it. */
import { Frame } from './frame/frame.tsx';
import { NotFound } from './frame/not-found.tsx';
import { useSession } from './frame/use-session.ts';
import { ConnectionProvider, connect } from './api/context.ts';
import { Fetched } from './parts/fetched.tsx';
import { ProblemNote } from './parts/problem-note.tsx';
import { Reading } from './parts/empty.tsx';
import { recall, remember } from './remembered.ts';
import { isScreen, screenAddress } from './addresses.ts';
import { go, usePlace, type Place } from './router.tsx';
import { lazy, useEffect, useMemo } from 'react';

const EmbedPage = lazy(async () => ({ default: (await import('./embed/embed-page.tsx')).EmbedPage }));
const SignIn = lazy(async () => ({ default: (await import('./frame/sign-in.tsx')).SignIn }));

export function App() {
  const place = usePlace();
  const [first, second, conversation] = place.path;
  if (first === 'embed' && second === 'conversations' && conversation !== undefined)
    return (
      <Fetched>
        <EmbedPage conversation={conversation} token={place.query.get('token') ?? ''} />
      </Fetched>
    );
  return <Console place={place} />;
}

function Console({ place }: { readonly place: Place }) {
  const { ask, session, signIn, signOut } = useSession();
  const [top, tenant, screen = 'runs'] = place.path;
  const tenants = session.data?.tenants.map(({ id }) => id);
  const first = tenants?.find((one) => one === recall('tenant')) ?? tenants?.[0];
  const known = top === 't' && tenant !== undefined && tenants?.includes(tenant) === true;
  useEffect(() => {
    if (top === undefined && first !== undefined) go(screenAddress(first, 'runs'), 'replace');
  }, [top, first]);
  useEffect(() => {
    if (known) remember('tenant', tenant);
  }, [known, tenant]);
  const connection = useMemo(
    () => (session.data && tenant !== undefined ? connect(ask, session.data, tenant) : undefined),
    [ask, session.data, tenant],
  );

  if (session.isPending) return <Reading />;
  if (session.data === null)
    return (
      <Fetched>
        <SignIn signIn={signIn} />
      </Fetched>
    );
  if (session.isError)
    return (
      <main className="screen">
        <ProblemNote error={session.error} again={() => void session.refetch()} />
      </main>
    );
  if (top === undefined && first !== undefined) return <Reading />;
  if (!known || connection === undefined || !isScreen(screen)) return <NotFound tenant={first} />;
  return (
    <ConnectionProvider value={connection} key={tenant}>
      <Frame screen={screen} place={place} signOut={signOut} />
    </ConnectionProvider>
  );
}
