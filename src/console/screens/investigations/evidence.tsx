/** What was seen, with its source and when it was true; and what is no longer as it was. */
import type { Evidence, Proposal } from '../../../domain/schemas/investigations.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Instant } from '../../time/instant.tsx';
import { price } from '../../time/format.ts';
import { useSay, type Say } from '../../words/words.ts';

export function EvidenceTable({ evidence }: { readonly evidence: readonly Evidence[] }) {
  const say = useSay();
  return (
    <section>
      <h3>{say('investigation.evidence')}</h3>
      <DataTable
        caption={say('investigation.evidence')}
        rows={evidence}
        idOf={({ label, source }) => `${label} ${source}`}
        columns={[
          {
            id: 'label',
            header: say('column.what'),
            cell: ({ label, source }) => (
              <>
                {say.told(label)} <span className="beneath">{say.told(source)}</span>
              </>
            ),
          },
          {
            id: 'value',
            header: say('column.value'),
            isNumber: true,
            cell: ({ value, unit }) => `${valueText(say, value)}${unit === undefined ? '' : ` ${say.told(unit)}`}`,
          },
          { id: 'asOf', header: say('column.asOf'), cell: ({ asOf }) => <Instant at={asOf} /> },
        ]}
      />
    </section>
  );
}

function valueText(say: Say, value: Evidence['value']): string {
  if (value === null) return '–';
  if (typeof value === 'number') return new Intl.NumberFormat(say.language).format(value);
  if (typeof value === 'object') return price(value, say.language);
  return say.told(String(value));
}

/** A proposal before this one went stale: what had changed. */
export function Changed({ changed }: { readonly changed: Proposal['changed'] }) {
  const say = useSay();
  return (
    <div className="note" data-tone="held">
      <strong>{say('investigation.stale')}</strong>
      <ul>
        {changed.map(({ name, before, after }) => (
          <li key={name}>
            {say.told(name)}: <del>{changedText(say, before)}</del> → <ins>{changedText(say, after)}</ins>
          </li>
        ))}
      </ul>
    </div>
  );
}

function changedText(say: Say, value: Proposal['changed'][number]['before']): string {
  return typeof value === 'string' ? say.told(value) : JSON.stringify(value);
}
