/** Why a time is what it is, in one sentence. */
import { Fragment } from 'react';
import type { WakeStep } from '../api/shapes.ts';
import { Instant } from '../time/instant.tsx';
import { useSay } from '../words/words.ts';
import { wakePhrases } from './wake-phrases.ts';

/** @param zone of the run's policy. */
export function WakeSteps({ steps, zone }: { readonly steps: readonly WakeStep[]; readonly zone: string | undefined }) {
  const say = useSay();
  return wakePhrases(say, steps).map(({ words, at, until }, n) => (
    <Fragment key={`${n} ${words}`}>
      {n > 0 && ', '}
      {words}
      {at !== null && (
        <>
          {' ('}
          <Instant at={at} zone={zone} />)
        </>
      )}
      {until !== null && (
        <>
          {` ${say('wake.until')} `}
          <Instant at={until} how="fully" zone={zone} />
        </>
      )}
    </Fragment>
  ));
}
