/** How far it is, and what became of each. */
import { saveFile } from '../save-file.ts';
import { sayOr, useSay, type Say } from '../words/words.ts';
import type { ReceiptLine } from '../api/shapes.ts';

export interface BulkProgress {
  readonly total: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  readonly running: boolean;
  /** What is known of single runs; the newest of many. */
  readonly lines: readonly ReceiptLine[];
}

export function Receipt({ progress, save }: { readonly progress: BulkProgress; readonly save: () => Promise<string> }) {
  const say = useSay();
  const { total, done, skipped, failed, running, lines } = progress;
  const settled = done + skipped + failed;
  const text = running ? say('bulk.doing', { done: settled, total }) : say('bulk.done', { done, skipped, failed });
  return (
    <>
      <progress max={Math.max(1, total)} value={settled} aria-label={text} />
      <p role="status">{text}</p>
      <ul className="receipt" aria-label={say('bulk.receipt')} tabIndex={0}>
        {lines.map(({ subject, slot, state, reason }) => (
          <li key={`${subject}/${slot}`}>
            <span className="mono">
              {subject}/{slot}
            </span>{' '}
            {say(`bulk.state.${state}`)}
            {reason !== null && <span className="quiet"> · {whyText(say, reason)}</span>}
          </li>
        ))}
      </ul>
      {!running && (
        <button type="button" className="link" onClick={() => void save().then((csv) => saveFile('receipt.csv', csv))}>
          {say('bulk.receipt.save')}
        </button>
      )}
    </>
  );
}

/** Why one was not done: a word of the fan-out's, how its run had ended, or the problem that it was refused with. */
function whyText(say: Say, reason: string): string {
  return sayOr(say, `bulk.reason.${reason}`, '') || sayOr(say, `reason.${reason}`, '') || say.told(reason);
}
