/** What is selected, and what may be done with it; or with everything that the filter finds. */
import { useRef, useState } from 'react';
import { useMay } from '../api/context.ts';
import type { RunFilter } from '../api/server.ts';
import type { RunRow } from '../api/shapes.ts';
import { useKeys } from '../keys.ts';
import { useSay } from '../words/words.ts';
import { BULK_ACTS, type BulkAct } from './bulk-acts.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import type { BulkOrder } from './use-bulk.ts';
import { bulkFilterOf } from './bulk-filter.ts';

export interface BulkBarProps {
  readonly chosen: readonly RunRow[];
  readonly filter: RunFilter;
  readonly clear: () => void;
}

export function BulkBar({ chosen, filter, clear }: BulkBarProps) {
  const say = useSay();
  const mayAct = useMay('operator');
  const [order, setOrder] = useState<BulkOrder | undefined>();
  const bulkFilter = bulkFilterOf(filter);
  const ask = (act: BulkAct, runs: readonly RunRow[] | undefined) =>
    setOrder(runs === undefined ? { act, filter: bulkFilter ?? {} } : { act, runs });
  const bar = useRef<HTMLDivElement>(null);
  useKeys({ a: chosen.length > 0 ? () => bar.current?.querySelector('button')?.focus() : undefined });
  if (!mayAct) return null;
  return (
    <>
      {chosen.length > 0 && (
        <div className="bulk bar" role="group" ref={bar} aria-label={say('bulk.label')}>
          <strong aria-live="polite">{say.count('bulk.selected', chosen.length)}</strong>
          {BULK_ACTS.map((act) => (
            <button
              key={act}
              type="button"
              className={act === 'detach' ? 'danger' : undefined}
              onClick={() => ask(act, chosen)}
            >
              {say(`acts.${act}`)}…
            </button>
          ))}
          {bulkFilter !== undefined && (
            <button type="button" className="link" onClick={() => ask('pause', undefined)}>
              {say('bulk.everything')}
            </button>
          )}
          <button type="button" className="link" onClick={clear}>
            {say('bulk.clear')}
          </button>
        </div>
      )}
      {order !== undefined && (
        <BulkDialog
          order={order}
          onClose={(how) => {
            setOrder(undefined);
            if (how === 'cancelled') return;
            clear();
            // The button that opened it goes with the selection; behind a dialogue nothing takes the focus.
            requestAnimationFrame(() => document.getElementById('main')?.focus());
          }}
        />
      )}
    </>
  );
}
