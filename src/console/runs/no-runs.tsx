/** No run fits, or none was ever attached. */
import { useServer } from '../api/context.ts';
import { Empty } from '../parts/empty.tsx';
import { Link, withQuery, type Place } from '../router.tsx';
import { useSay } from '../words/words.ts';
import { FILTER_NAMES, filterOf, isNarrowed } from './run-filter.ts';

export function NoRuns({ place }: { readonly place: Place }) {
  const say = useSay();
  const { tenant } = useServer();
  if (isNarrowed(filterOf(place.query)))
    return (
      <Empty title={say('runs.noneFit')}>
        <Link to={withQuery(place, Object.fromEntries(FILTER_NAMES.map((name) => [name, null])))}>
          {say('runs.everything')}
        </Link>
      </Empty>
    );
  return (
    <Empty title={say('runs.none')}>
      <p>{say('runs.attachHint')}</p>
      <pre>npx attache attach lead-qualification {tenant}/conversation/1</pre>
    </Empty>
  );
}
