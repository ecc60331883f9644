/** How far a message has come: ticks for the eye, a word for everybody. */
import type { MessageRecord } from '../api/shapes.ts';
import { useSay } from '../words/words.ts';

const MARKS = { sent: '✓', delivered: '✓✓', read: '✓✓', played: '✓✓', failed: '!' } as const;

export function Delivery({ status }: { readonly status: NonNullable<MessageRecord['status']> }) {
  const say = useSay();
  return (
    <span className="delivery" data-status={status}>
      <span aria-hidden="true">{MARKS[status]}</span> {say(`message.${status}`)}
    </span>
  );
}
