/** Many at once: how many it touches, before it touches them; typed consent; progress; a receipt that can be kept. */
import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { UNTILS, type UntilName } from '../run/untils.ts';
import { useSay } from '../words/words.ts';
import { BULK_ACTS, type BulkAct } from './bulk-acts.ts';
import { Receipt } from './receipt.tsx';
import { useBulk, type Bulk, type BulkOrder } from './use-bulk.ts';

/** What may be put off, and for how long; the first unless another is chosen. */
const UNTILS_OF: Readonly<Partial<Record<BulkAct, readonly (UntilName | 'open')[]>>> = {
  pause: ['open', 'hour', 'tomorrow', 'week'],
  snooze: ['tomorrow', 'hour', 'week'],
};

export function BulkDialog({
  order,
  onClose,
}: {
  readonly order: BulkOrder;
  readonly onClose: (how: 'cancelled' | 'begun') => void;
}) {
  const say = useSay();
  const [act, setAct] = useState(order.act);
  const [until, setUntil] = useState<UntilName | 'open'>('open');
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const bulk = useBulk({ ...order, act });
  const { touches, ended, progress } = bulk;
  const word = String(touches ?? '');
  const untils = UNTILS_OF[act] ?? [];
  const chosen = untils.find((one) => one === until) ?? untils[0];
  const sooner = act === 'snooze' && chosen !== undefined && chosen !== 'open' ? soonerIn(order, chosen) : 0;
  if (progress !== undefined) return <Progress {...{ act, bulk, progress }} onClose={() => onClose('begun')} />;
  return (
    <Dialog title={say('bulk.label')} onClose={() => onClose('cancelled')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const at = chosen === undefined || chosen === 'open' ? undefined : UNTILS[chosen].at().toISOString();
          void bulk.begin({ act, reason: reason.trim(), until: at });
        }}
      >
        <label>
          {say('bulk.act')}
          <select value={act} onChange={({ target }) => setAct(target.value as BulkAct)}>
            {BULK_ACTS.map((one) => (
              <option key={one} value={one}>
                {say(`acts.${one}`)}
              </option>
            ))}
          </select>
        </label>
        {chosen !== undefined && (
          <label>
            {say('bulk.until')}
            <select value={chosen} onChange={({ target }) => setUntil(target.value as UntilName | 'open')}>
              {untils.map((one) => (
                <option key={one} value={one}>
                  {say(one === 'open' ? 'acts.until.open' : UNTILS[one].words)}
                </option>
              ))}
            </select>
          </label>
        )}
        <Touched {...{ touches, ended, sooner }} />
        <label>
          {say('acts.reason')}
          <textarea name="reason" maxLength={1_000} value={reason} onChange={({ target }) => setReason(target.value)} />
        </label>
        <label>
          {say('bulk.confirm', { word })}
          <input
            name="confirm"
            inputMode="numeric"
            autoComplete="off"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </label>
        {bulk.error !== null && <ProblemNote error={bulk.error} acted />}
        <div className="acts">
          <button type="button" onClick={() => onClose('cancelled')}>
            {say('act.cancel')}
          </button>
          <button
            type="submit"
            className={act === 'detach' ? 'danger' : 'main'}
            disabled={touches === undefined || touches === 0 || typed.trim() !== word || bulk.beginning}
          >
            {say(`acts.${act}`)}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface ProgressProps {
  readonly act: BulkAct;
  readonly bulk: Bulk;
  readonly progress: NonNullable<Bulk['progress']>;
  readonly onClose: () => void;
}

/** Once it has begun: how far it is, and the receipt. */
function Progress({ act, bulk, progress, onClose }: ProgressProps) {
  const say = useSay();
  return (
    <Dialog title={say(`acts.${act}`)} onClose={onClose}>
      <Receipt progress={progress} save={bulk.receiptCsv} />
      {bulk.error !== null && <ProblemNote error={bulk.error} acted />}
      <div className="acts">
        {progress.running && bulk.stop && (
          <button type="button" onClick={bulk.stop}>
            {say('bulk.stop')}
          </button>
        )}
        <button type="button" className="main" onClick={onClose} disabled={progress.running && !bulk.goesOnAlone}>
          {say('act.close')}
        </button>
      </div>
    </Dialog>
  );
}

interface TouchedProps {
  /** Undefined: it is being counted. */
  readonly touches: number | undefined;
  readonly ended: number;
  readonly sooner: number | 'unknown';
}

/** Before it begins: whom it is for. */
function Touched({ touches, ended, sooner }: TouchedProps) {
  const say = useSay();
  return (
    <p aria-live="polite">
      {touches === undefined && say('bulk.counting')}
      {touches === 0 && say('bulk.nobody')}
      {touches !== undefined && touches > 0 && <strong>{say.count('bulk.touches', touches)}</strong>}
      {ended > 0 && ` ${say.count('bulk.ended', ended)}`}
      {sooner === 'unknown' && ` ${say('bulk.soonerOthers')}`}
      {typeof sooner === 'number' && sooner > 0 && ` ${say.count('bulk.sooner', sooner)}`}
    </p>
  );
}

/** How many are due later than that, and would be moved forward. */
function soonerIn(order: BulkOrder, until: UntilName): number | 'unknown' {
  if (!('runs' in order)) return 'unknown';
  const at = UNTILS[until].at().getTime();
  return order.runs.filter(({ nextRunAt }) => nextRunAt !== null && Date.parse(nextRunAt) > at).length;
}
