/** One run in the list: who, which agent, what it does, when next, what it cost, how long. */
import { memo, type MouseEvent } from 'react';
import { Instant } from '../time/instant.tsx';
import { useNow } from '../time/clock.ts';
import { lasting, money } from '../time/format.ts';
import { go, Link } from '../router.tsx';
import { Status } from '../parts/status.tsx';
import { useSay } from '../words/words.ts';
import type { RunRow } from '../api/shapes.ts';
import type { SteadyRow } from './steady-rows.ts';
import { useWho } from './run-name.tsx';

export interface RunLineProps {
  readonly row: SteadyRow;
  readonly at: number;
  readonly to: string;
  readonly isOpen: boolean;
  readonly isCurrent: boolean;
  readonly selected: boolean;
  /** Undefined for who may not act. */
  readonly toggle: (() => void) | undefined;
  readonly onFocus: () => void;
}

export const RunLine = memo(Line);

function Line({ row, at, to, isOpen, isCurrent, selected, toggle, onFocus }: RunLineProps) {
  const say = useSay();
  const { run, gone, fresh } = row;
  const who = useWho(run);
  return (
    <tr
      className={fresh ? 'fresh' : undefined}
      aria-rowindex={at + 2}
      data-at={at}
      data-status={run.status}
      data-open={isOpen || undefined}
      data-current={isCurrent || undefined}
      data-gone={gone || undefined}
      data-selected={selected || undefined}
      onFocus={onFocus}
      onClick={(event) => {
        if (isPlain(event)) go(to);
      }}
    >
      {toggle && (
        <td className="pick">
          <label>
            <input
              type="checkbox"
              checked={selected}
              onChange={toggle}
              aria-label={say('runs.pick', { who, agent: run.agent })}
            />
          </label>
        </td>
      )}
      <th scope="row">
        <Link to={to} aria-current={isOpen ? 'true' : undefined}>
          <span>{who}</span>
          <Which run={run} />
        </Link>
      </th>
      <td className="wide">
        {run.agent} {run.agentVersion !== null && <span className="quiet">v{run.agentVersion}</span>}
      </td>
      <td>
        <span className="doing">
          <Status run={run} />
          {gone && <span className="quiet"> · {say('list.gone')}</span>}
        </span>
      </td>
      <td className="next">
        <Next run={run} />
      </td>
      <td className="number wide">{typeof run.costUsd === 'number' ? money(run.costUsd, say.language) : '–'}</td>
      <td className="number wide quiet">
        <Age run={run} />
      </td>
    </tr>
  );
}

/** Anywhere in the row but on what acts by itself; who marks words to copy, or wants another tab, means something else. */
function isPlain({ target, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean {
  const acts = target instanceof Element && target.closest('a, label') !== null;
  return !acts && !ctrlKey && !metaKey && !shiftKey && !altKey && getSelection()?.isCollapsed !== false;
}

/** What tells it from others about the same: the conversation or the slot; the agent where its column has no room. */
function Which({ run: { subject, slot, agent, contact } }: { readonly run: RunRow }) {
  const own = (slot as string) === agent ? null : slot;
  const id = subject === 'business' ? own : shortened(subject.slice('conversation/'.length));
  const isSaid = id === null || (subject !== 'business' && contact?.name == null);
  return (
    <span className={isSaid ? 'which narrow' : 'which'}>
      {id}
      <span className="narrow">{id === null ? agent : ` · ${agent}`}</span>
    </span>
  );
}

/** Ids of one system begin alike: both ends stay. */
function shortened(id: string): string {
  return id.length <= 16 ? id : `${id.slice(0, 6)}…${id.slice(-8)}`;
}

/** When it wakes next; of an ended one, when it ended. Never a bare past instant for what is due now. */
function Next({ run }: { readonly run: RunRow }) {
  const say = useSay();
  const now = useNow();
  if (run.endedAt !== null)
    return (
      <span className="quiet">
        {say('runs.ended')} <Instant at={run.endedAt} />
      </span>
    );
  if (run.phase === 'paused' || run.phase === 'ending') return <span className="quiet">–</span>;
  if (run.nextRunAt === null || run.phase === 'thinking' || run.phase === 'sending') return say('runs.now');
  if (Date.parse(run.nextRunAt) <= now) return say('runs.now');
  if (run.failures > 0)
    return (
      <>
        {say('runs.retries')} <Instant at={run.nextRunAt} />
      </>
    );
  return <Instant at={run.nextRunAt} />;
}

function Age({ run }: { readonly run: RunRow }) {
  const { language } = useSay();
  const until = useNow();
  const end = run.endedAt === null ? until : Date.parse(run.endedAt);
  return lasting(Math.max(0, end - Date.parse(run.attachedAt)), language);
}
