/** Events that could not be delivered: what is wrong with each, and delivering or dropping it. */
import { useMay, useServer } from '../../api/context.ts';
import type { EventRecord } from '../../api/shapes.ts';
import { usePages } from '../../api/use-pages.ts';
import { Empty } from '../../parts/empty.tsx';
import { RecordList } from '../../parts/record-list.tsx';
import { Tree } from '../../parts/tree.tsx';
import { useDoing } from '../../parts/use-doing.ts';
import { Instant } from '../../time/instant.tsx';
import { sayOr, useSay } from '../../words/words.ts';

export function DeadLetters() {
  const say = useSay();
  const server = useServer();
  const letters = usePages('events', { dead: true }, (cursor, signal) => server.deadLetters(cursor, { signal }));
  return (
    <RecordList
      caption={say('letters.title')}
      query={letters}
      idOf={({ key }) => key}
      empty={<Empty title={say('letters.none')}>{say('letters.noneHint')}</Empty>}
      columns={[
        { id: 'time', header: say('column.when'), cell: ({ time }) => <Instant at={time} /> },
        { id: 'what', header: say('column.what'), cell: (letter) => <What letter={letter} /> },
        {
          id: 'problem',
          header: say('column.problem'),
          cell: ({ problem, attempts }) => (
            <>
              {problem !== null && say.told(problem)}{' '}
              <span className="quiet">{say.count('letters.attempts', attempts)}</span>
            </>
          ),
        },
        { id: 'acts', header: say('column.acts'), cell: (letter) => <Acts letter={letter} /> },
      ]}
    />
  );
}

function What({ letter }: { readonly letter: EventRecord }) {
  const say = useSay();
  return (
    <details>
      <summary>
        {sayOr(say, `event.${letter.type}`, letter.type)}{' '}
        <span className="quiet">{letter.subject ?? letter.source}</span>
      </summary>
      <Tree value={letter.data} />
    </details>
  );
}

function Acts({ letter: { key, type } }: { readonly letter: EventRecord }) {
  const isUnreadable = type === 'unreadable';
  const say = useSay();
  const server = useServer();
  const mayAct = useMay('operator');
  const { doing, run } = useDoing();
  if (!mayAct) return null;
  return (
    <span className="bar">
      <button
        type="button"
        disabled={doing}
        onClick={() =>
          run(async () => server.redeliverEvent(key), say(isUnreadable ? 'letters.read' : 'letters.redelivered'))
        }
      >
        {say(isUnreadable ? 'letters.readAgain' : 'letters.redeliver')}
      </button>
      <button
        type="button"
        className="danger"
        disabled={doing}
        onClick={() => run(async () => server.dropEvent(key), say('letters.dropped'))}
      >
        {say('letters.drop')}
      </button>
    </span>
  );
}
