/** The inbox of proposals: what waits for a decision first; one of them open beside the list. */
import { screenAddress } from '../../addresses.ts';
import { useServer } from '../../api/context.ts';
import { useKeys } from '../../keys.ts';
import { closeBeside } from '../../parts/close-beside.ts';
import type { Place } from '../../router.tsx';
import { useSay } from '../../words/words.ts';
import { InvestigationList } from './investigation-list.tsx';
import { InvestigationPanel } from './investigation-panel.tsx';

export function InvestigationsScreen({ place }: { readonly place: Place }) {
  const say = useSay();
  const { tenant } = useServer();
  const id = place.path[3];
  const close = () => closeBeside(`${screenAddress(tenant, 'investigations')}${queryText(place)}`);
  useKeys({ Escape: id === undefined ? undefined : close });
  return (
    <div className="runs-screen" data-open={id !== undefined}>
      <section className="list inbox" aria-label={say('nav.investigations')}>
        <h1 className="spoken">{say('nav.investigations')}</h1>
        <InvestigationList place={place} open={id} />
      </section>
      {id !== undefined && <InvestigationPanel key={id} id={id} onClose={close} />}
    </div>
  );
}

function queryText({ query }: Place): string {
  return query.size === 0 ? '' : `?${query.toString()}`;
}
