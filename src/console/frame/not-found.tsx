/** An address that leads nowhere, or a server that serves nobody yet. */
import { screenAddress } from '../addresses.ts';
import { Link } from '../router.tsx';
import { useSay } from '../words/words.ts';

export function NotFound({ tenant }: { readonly tenant: string | undefined }) {
  const say = useSay();
  return (
    <main className="screen">
      <h1>{say(tenant === undefined ? 'noTenant.title' : 'notFound.title')}</h1>
      {tenant === undefined ? (
        <p>{say('noTenant.hint')}</p>
      ) : (
        <p>
          <Link to={screenAddress(tenant, 'runs')}>{say('notFound.act')}</Link>
        </p>
      )}
    </main>
  );
}
