/** What the list may be narrowed by. Every choice is in the address at once. */
import { REASONS_OF, RUN_STATUSES, type TerminalStatus } from '../../domain/statuses.ts';
import { go, withQuery, type Place } from '../router.tsx';
import { fully } from '../time/format.ts';
import { useSay, type WordKey } from '../words/words.ts';
import { FILTER_NAMES, filterOf, isNarrowed } from './run-filter.ts';
import { useRunCounts } from './use-run-counts.ts';

interface Option {
  readonly value: string;
  readonly label: string;
}

export function Filters({ place }: { readonly place: Place }) {
  const say = useSay();
  const counts = useRunCounts();
  const agents = [...new Set((counts?.agents ?? []).map(({ agent }) => agent))];
  const agent = place.query.get('agent');
  const versions = (counts?.agents ?? []).filter((one) => one.agent === agent && one.version !== null);
  const status = place.query.get('status') as TerminalStatus | null;
  const reasons = status === null ? Object.values(REASONS_OF).flat() : status in REASONS_OF ? REASONS_OF[status] : [];
  const narrowed = isNarrowed(filterOf(place.query));
  const choose = (changes: Record<string, string | null>) => go(withQuery(place, changes), 'replace');
  const counted = (count: number | undefined) => (count === undefined ? '' : ` (${count})`);
  return (
    <div className="filters bar" role="group" aria-label={say('runs.filters')}>
      <Choice
        name="status"
        place={place}
        choose={(value) => choose({ status: value, reason: null })}
        options={RUN_STATUSES.map((value) => ({
          value,
          label: `${say(`status.${value}`)}${counted(counts?.status[value])}`,
        }))}
      />
      <Choice
        name="reason"
        place={place}
        choose={(reason) => choose({ reason })}
        options={reasons.map((value) => ({
          value,
          label: `${say(`reason.${value}`)}${counted(counts?.reason[value])}`,
        }))}
      />
      <Choice
        name="agent"
        place={place}
        choose={(chosen) => choose({ agent: chosen, version: null })}
        options={agents.map((value) => ({ value, label: value }))}
      />
      {versions.length > 0 && (
        <Choice
          name="version"
          place={place}
          choose={(version) => choose({ version })}
          options={versions.map(({ version, count }) => ({
            value: String(version),
            label: `v${version ?? ''}${counted(count)}`,
          }))}
        />
      )}
      <Choice name="due" place={place} choose={(due) => choose({ due })} options={DUE.map(worded)} />
      <Choice name="failing" place={place} choose={(failing) => choose({ failing })} options={FAILING.map(worded)} />
      <Choice name="cost" place={place} choose={(cost) => choose({ cost })} options={COSTS} />
      <Span name="planned" place={place} choose={choose} />
      <Span name="ended" place={place} choose={choose} />
      {narrowed && (
        <button
          type="button"
          className="link"
          onClick={() => choose(Object.fromEntries(FILTER_NAMES.map((name) => [name, null])))}
        >
          {say('runs.everything')}
        </button>
      )}
    </div>
  );

  function worded([value, words]: readonly [string, WordKey]): Option {
    return { value, label: say(words) };
  }
}

/** A span of time that another screen asked for; a press takes it away. */
function Span({
  name,
  place: { query },
  choose,
}: {
  readonly name: 'planned' | 'ended';
  readonly place: Place;
  readonly choose: (changes: Record<string, null>) => void;
}) {
  const say = useSay();
  const at = (end: 'From' | 'To') => {
    const ms = Date.parse(query.get(`${name}${end}`) ?? '');
    return Number.isNaN(ms) ? undefined : fully(ms, say.language);
  };
  const [from, to] = [at('From'), at('To')];
  if (from === undefined && to === undefined) return null;
  const half = to === undefined ? 'runs.endedSince' : 'runs.plannedUntil';
  return (
    <button type="button" onClick={() => choose({ [`${name}From`]: null, [`${name}To`]: null })}>
      {from !== undefined && to !== undefined
        ? say(`runs.${name}Span`, { from, to })
        : say(half, { from: from ?? '', to: to ?? '' })}{' '}
      <span aria-hidden="true">×</span>
      <span className="spoken">{say('list.any')}</span>
    </button>
  );
}

const DUE: readonly (readonly [string, WordKey])[] = [
  ['1h', 'runs.due.1h'],
  ['24h', 'runs.due.24h'],
  ['7d', 'runs.due.7d'],
];
const FAILING: readonly (readonly [string, WordKey])[] = [['true', 'runs.failing']];
const COSTS: readonly Option[] = ['0.01', '0.10', '1', '10'].map((value) => ({ value, label: `≥ $${value}` }));

function Choice({
  name,
  options,
  place,
  choose,
}: {
  readonly name: 'status' | 'reason' | 'agent' | 'version' | 'due' | 'failing' | 'cost';
  readonly options: readonly Option[];
  readonly place: Place;
  readonly choose: (value: string | null) => void;
}) {
  const say = useSay();
  const value = place.query.get(name) ?? '';
  const label = say(`runs.filter.${name}`);
  const unknown = value !== '' && options.every((option) => option.value !== value);
  return (
    <select
      aria-label={label}
      value={value}
      data-set={value === '' ? undefined : true}
      onChange={({ target }) => choose(target.value === '' ? null : target.value)}
    >
      <option value="">{`${label}: ${say('list.any')}`}</option>
      {unknown && <option value={value}>{value}</option>}
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
