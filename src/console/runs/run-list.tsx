/** The table of runs: ten thousand rows cost what the thirty on the screen cost. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState, type Dispatch, type SetStateAction } from 'react';
import { runAddress, type RunName } from '../addresses.ts';
import { useMay, useServer } from '../api/context.ts';
import { Headings, type Heading } from '../parts/headings.tsx';
import { ActDialog, type AskedAct } from '../run/act-dialog.tsx';
import { usePauseOrResume } from '../run/use-act.ts';
import { go, type Place } from '../router.tsx';
import { useKeys } from '../keys.ts';
import { useSay, type Say } from '../words/words.ts';
import { RunLine } from './run-line.tsx';
import type { SteadyRow } from './steady-rows.ts';

const ROW_PX = 40;
/** Rows made before they come into view: a page of the wheel. */
const AHEAD = 12;
/** Read on when the end is this near: not before somebody scrolls, where the first page fills the screen. */
const NEAR_END = 15;

export interface RunListProps {
  readonly rows: readonly SteadyRow[];
  readonly place: Place;
  readonly open: RunName | undefined;
  readonly selected: ReadonlySet<string>;
  readonly select: Dispatch<SetStateAction<ReadonlySet<string>>>;
  readonly readOn: () => void;
}

export function RunList({ rows, place, open, selected, select, readOn }: RunListProps) {
  const say = useSay();
  const { tenant } = useServer();
  const mayAct = useMay('operator');
  const scroll = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | undefined>();
  const openId = open && idOf(open, rows);
  const [opened, setOpened] = useState<string | undefined>();
  if (opened !== openId) {
    // However it was opened: the keys are about it from then on.
    setOpened(openId);
    const index = rows.findIndex(({ run }) => run.id === openId);
    if (openId !== undefined) setAt(index === -1 ? undefined : index);
  }
  const [asked, setAsked] = useState<AskedAct | undefined>();
  const pauseOrResume = usePauseOrResume();
  const [ahead, setAhead] = useState(0);
  // What is in view is drawn first.
  useEffect(() => setAhead(AHEAD), []);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: ahead,
    getItemKey: (index) => rows[index]?.run.id ?? index,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - NEAR_END) readOn();
  }, [last, rows.length, readOn]);

  const move = (by: number) => {
    const top = Math.ceil((scroll.current?.scrollTop ?? 0) / ROW_PX);
    const next = Math.max(0, Math.min(rows.length - 1, at === undefined ? top : at + by));
    setAt(next);
    virtual.scrollToIndex(next);
    // The row may only be made by this scroll.
    requestAnimationFrame(() => scroll.current?.querySelector<HTMLElement>(`[data-at="${next}"] a`)?.focus());
  };
  const toggle = (id: string) =>
    select((now) => {
      const next = new Set(now);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const current = at === undefined ? undefined : rows[at]?.run;
  const isLive = current?.status === 'IN_PROGRESS';
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Enter: current && (() => go(runAddress(tenant, current, place.query))),
    x: current && mayAct ? () => toggle(current.id) : undefined,
    t: current && isLive && mayAct ? () => setAsked({ act: 'takeover', run: current }) : undefined,
    p: current && isLive && mayAct ? () => pauseOrResume(current) : undefined,
  });

  useEffect(() => {
    // What stands above the list grows taller where a run is open beside it.
    scroll.current?.querySelector('tr[data-open]')?.scrollIntoView({ block: 'nearest' });
  }, [openId]);
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div className="rows" ref={scroll}>
      <table className="runs" aria-rowcount={rows.length + 1}>
        <caption className="spoken">{say('nav.runs')}</caption>
        <Headings columns={headingsOf(say, mayAct)} />
        <tbody>
          <Gap px={before} />
          {items.map(({ index, key }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const { run } = row;
            return (
              <RunLine
                key={key}
                row={row}
                at={index}
                to={runAddress(tenant, run, place.query)}
                isOpen={run.id === openId}
                isCurrent={index === at}
                selected={selected.has(run.id)}
                toggle={mayAct ? () => toggle(run.id) : undefined}
                onFocus={() => setAt(index)}
              />
            );
          })}
          <Gap px={after} />
        </tbody>
      </table>
      {asked && <ActDialog asked={asked} onClose={() => setAsked(undefined)} />}
    </div>
  );
}

/** The attachment that a name means: without an id, the latest. */
function idOf({ subject, slot, id }: RunName, rows: readonly SteadyRow[]): string | undefined {
  if (id !== undefined) return id;
  const named = rows.map(({ run }) => run).filter((run) => run.subject === subject && run.slot === slot);
  return named.toSorted((one, other) => Date.parse(other.attachedAt) - Date.parse(one.attachedAt))[0]?.id;
}

function headingsOf(say: Say, mayAct: boolean): readonly Heading[] {
  const pick = <span className="spoken">{say('runs.column.pick')}</span>;
  return [
    ...(mayAct ? [{ id: 'pick', header: pick, className: 'pick' }] : []),
    { id: 'who', header: say('runs.column.who') },
    { id: 'agent', header: say('runs.column.agent'), className: 'wide' },
    { id: 'doing', header: say('runs.column.doing'), className: 'doing' },
    { id: 'next', header: say('runs.column.next'), className: 'next' },
    { id: 'cost', header: say('runs.column.cost'), className: 'wide', isNumber: true },
    { id: 'age', header: say('runs.column.age'), className: 'wide', isNumber: true },
  ];
}

/** The height of the rows that are not made. */
function Gap({ px }: { readonly px: number }) {
  return px <= 0 ? null : (
    <tr aria-hidden="true">
      <td style={{ height: px }} />
    </tr>
  );
}
