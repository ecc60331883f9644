/** What a step that is being carried out asks a person. */
import type { Investigation } from '../../../domain/schemas/investigations.ts';
import { useMay, useServer } from '../../api/context.ts';
import { useDoing } from '../../parts/use-doing.ts';
import { useSay } from '../../words/words.ts';

export function Asked({ investigation: { id, status, proposal, results } }: { readonly investigation: Investigation }) {
  const say = useSay();
  const server = useServer();
  const mayAnswer = useMay('operator');
  const { doing, run } = useDoing();
  if (status !== 'executing' || !mayAnswer) return null;
  const next = proposal?.actions.find(({ step }) => results.every((result) => result.step !== step));
  if (next?.kind !== 'person.confirm') return null;
  const answer = (yes: boolean) => run(async () => server.confirm(id, next.step, yes), say('asked.done'));
  return (
    <div className="note" data-tone="held">
      <strong>{next.question}</strong>
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
