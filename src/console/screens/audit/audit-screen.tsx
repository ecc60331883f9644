/** Who asked for what, why, and what was answered. */
import { useState } from 'react';
import { runAddress, runNameOf } from '../../addresses.ts';
import { useServer } from '../../api/context.ts';
import type { AuditEntry } from '../../api/shapes.ts';
import { usePages } from '../../api/use-pages.ts';
import { Empty } from '../../parts/empty.tsx';
import { RecordList } from '../../parts/record-list.tsx';
import { Mark } from '../../parts/status.tsx';
import { go, Link, withQuery } from '../../router.tsx';
import { Instant } from '../../time/instant.tsx';
import { useSay } from '../../words/words.ts';
import type { ScreenProps } from '../screens.tsx';

const FIELDS = ['actor', 'act', 'target'] as const;

export function AuditScreen({ place }: ScreenProps) {
  const say = useSay();
  const server = useServer();
  const filter = Object.fromEntries(FIELDS.map((field) => [field, place.query.get(field) ?? '']));
  const entries = usePages('audit', filter, (cursor, signal) => server.audit(filter, cursor, { signal }));
  return (
    <div className="screen">
      <header>
        <h1>{say('nav.audit')}</h1>
        <p>{say('audit.about')}</p>
      </header>
      <div className="bar" role="group" aria-label={say('runs.filters')}>
        {FIELDS.map((field) => (
          <Field
            key={field}
            label={say(`audit.${field}`)}
            value={filter[field] ?? ''}
            set={(value) => go(withQuery(place, { [field]: value }), 'replace')}
          />
        ))}
      </div>
      <RecordList
        caption={say('nav.audit')}
        query={entries}
        idOf={({ id }) => String(id)}
        empty={<Empty title={say('audit.none')}>{say('audit.noneHint')}</Empty>}
        columns={[
          { id: 'at', header: say('column.when'), cell: ({ at }) => <Instant at={at} /> },
          { id: 'actor', header: say('column.who'), cell: ({ actor }) => actor },
          {
            id: 'act',
            header: say('column.what'),
            cell: ({ act, target }) => (
              <>
                {act} <Target act={act} target={target} />
              </>
            ),
          },
          {
            id: 'reason',
            header: say('column.reason'),
            cell: ({ reason }) => reason ?? <span className="quiet">–</span>,
          },
          { id: 'status', header: say('column.answer'), cell: (entry) => <Answer entry={entry} /> },
        ]}
      />
    </div>
  );
}

/** What is a run opens it. */
function Target({ act, target }: Pick<AuditEntry, 'act' | 'target'>) {
  const { tenant } = useServer();
  const run = act.startsWith('runs.') ? runNameOf(target.split('/'), new URLSearchParams()) : undefined;
  if (run === undefined) return <span className="quiet mono">{target}</span>;
  return (
    <Link to={runAddress(tenant, run)} className="mono">
      {target}
    </Link>
  );
}

function Answer({ entry: { status } }: { readonly entry: AuditEntry }) {
  const say = useSay();
  if (status === null) return <Mark tone="held">{say('audit.unknown')}</Mark>;
  return <Mark tone={status < 400 ? 'goal' : 'trouble'}>{String(status)}</Mark>;
}

/** Looks when its reader is done typing: on Enter, or on leaving it. */
function Field(of: { readonly label: string; readonly value: string; readonly set: (value: string) => void }) {
  const [text, setText] = useState(of.value);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        of.set(text.trim());
      }}
    >
      <input
        aria-label={of.label}
        placeholder={of.label}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onBlur={() => of.set(text.trim())}
      />
    </form>
  );
}
