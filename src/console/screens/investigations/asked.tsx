/** What a step that is being carried out asks a person. */
import type { Investigation } from '../../../domain/schemas/investigations.ts';
import { useMay, useServer } from '../../api/context.ts';
import { useDoing } from '../../parts/use-doing.ts';
import { Instant } from '../../time/instant.tsx';
import { useSay } from '../../words/words.ts';

export function Asked({ investigation: { id, status, proposal, asked } }: { readonly investigation: Investigation }) {
  const say = useSay();
  const server = useServer();
  const mayAnswer = useMay('operator');
  const { doing, run } = useDoing();
  if (status !== 'executing' || asked === null) return null;
  const step = proposal?.actions.find((action) => action.step === asked.step);
  if (step?.kind !== 'person.confirm')
    return (
      <p className="note" data-tone="held">
        {say('asked.suppliers')} <Instant at={asked.until} how="fully" />
      </p>
    );
  if (!mayAnswer) return null;
  const answer = (yes: boolean) => run(async () => server.confirm(id, step.step, yes), say('asked.done'));
  return (
    <div className="note" data-tone="held">
      <strong>{say.told(step.question)}</strong>
      <div className="acts">
        <button type="button" className="main" disabled={doing} onClick={() => answer(true)}>
          {say('asked.yes')}
        </button>
        <button type="button" disabled={doing} onClick={() => answer(false)}>
          {say('asked.no')}
        </button>
      </div>
    </div>
  );
}
