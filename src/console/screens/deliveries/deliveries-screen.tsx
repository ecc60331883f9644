/** What did not arrive: events nobody could be given, and what the tenant's own systems were told. */
import type { ScreenProps } from '../screens.tsx';
import { useSay } from '../../words/words.ts';
import { DeadLetters } from './dead-letters.tsx';
import { Endpoints } from './endpoints.tsx';
import { Outgoing } from './outgoing.tsx';

export function DeliveriesScreen({ place }: ScreenProps) {
  const say = useSay();
  return (
    <div className="screen">
      <header>
        <h1>{say('nav.deliveries')}</h1>
        <p>{say('deliveries.about')}</p>
      </header>
      <section>
        <h2>{say('letters.title')}</h2>
        <DeadLetters />
      </section>
      <section>
        <h2>{say('outgoing.title')}</h2>
        <Outgoing place={place} />
      </section>
      <section>
        <h2>{say('endpoints.title')}</h2>
        <Endpoints />
      </section>
    </div>
  );
}
