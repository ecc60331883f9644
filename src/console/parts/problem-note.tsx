/** What went wrong, what was not lost, what to press. */
import { Refused, Unreachable } from '../api/ask.ts';
import { useSay, type Say } from '../words/words.ts';

/** One sentence for people. */
export function problemText(say: Say, error: unknown): string {
  if (error instanceof Unreachable) return say('problem.offline');
  if (!(error instanceof Refused)) return say('problem.defect', { detail: String(error) });
  const { code, title, detail, errors = [] } = error.problem;
  if (code === 'no_such_route' || code === 'method_not_allowed') return say('problem.missing');
  if (code === 'internal') return say('problem.defect', { detail: say.told(detail) });
  if (errors.length > 0) return errors.map(({ path, message }) => `${path} ${say.told(message)}`).join('; ');
  const words = say.told(detail);
  // A detail in words of others says the least that is known in the reader's own.
  return words === detail && say.told(title) !== title ? `${say.told(title)}: ${detail}` : words;
}

/** An act whose answer did not come may have been done. */
export function notDone(say: Say, error: unknown): string {
  return say(error instanceof Unreachable ? 'problem.unknown' : 'problem.act');
}

export function ProblemNote({
  error,
  again,
  acted = false,
}: {
  readonly error: unknown;
  readonly again?: () => void;
  readonly acted?: boolean;
}) {
  const say = useSay();
  return (
    <div className="note" data-tone="trouble" role="alert">
      <strong>{acted ? notDone(say, error) : say('problem.title')}</strong>
      <p>{problemText(say, error)}</p>
      {again && (
        <div className="acts">
          <button type="button" onClick={again}>
            {say('problem.again')}
          </button>
        </div>
      )}
    </div>
  );
}
