/** The next seven days, hour by hour, in the tenant's own zone: what wakes, what is sent, and where it piles up. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { screenAddress } from '../../addresses.ts';
import { useServer } from '../../api/context.ts';
import type { Calendar, CalendarHour } from '../../api/shapes.ts';
import { Empty, Reading } from '../../parts/empty.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Link } from '../../router.tsx';
import { cityOf, dayBriefly, dayOf, fully, viewerZone } from '../../time/format.ts';
import { useSay, type Say } from '../../words/words.ts';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export function CalendarScreen() {
  const say = useSay();
  const server = useServer();
  const calendar = useQuery({
    queryKey: [server.tenant, 'calendar'],
    queryFn: ({ signal }) => server.calendar({ signal }),
  });
  const { data } = calendar;
  return (
    <div className="screen">
      <header>
        <h1>{say('nav.calendar')}</h1>
        <p>
          {say('calendar.about')}
          {data !== undefined && data.zone !== viewerZone && ` ${say('calendar.zone', { zone: cityOf(data.zone) })}`}
        </p>
      </header>
      {calendar.isPending && <Reading />}
      {calendar.isError && <ProblemNote error={calendar.error} again={() => void calendar.refetch()} />}
      {data?.items.length === 0 && <Empty title={say('calendar.none')}>{say('calendar.noneHint')}</Empty>}
      {data !== undefined && data.items.length > 0 && (
        <>
          <PileUps calendar={data} />
          <Week calendar={data} />
          <p>
            <Link to={screenAddress(server.tenant, 'runs', { due: '7d' })}>{say('calendar.runs')}</Link>
          </p>
        </>
      )}
    </div>
  );
}

/** From an hour to the runs that have something planned in it. What is overdue counts as the present one. */
function useDue({ from }: Calendar): (at: string) => string {
  const { tenant } = useServer();
  return (at) =>
    screenAddress(tenant, 'runs', {
      ...(Date.parse(at) <= Date.parse(from) ? {} : { plannedFrom: at }),
      plannedTo: new Date(Date.parse(at) + HOUR_MS).toISOString(),
    });
}

function PileUps({ calendar }: { readonly calendar: Calendar }) {
  const say = useSay();
  const to = useDue(calendar);
  const { items, zone, pileUpFrom } = calendar;
  const high = items.filter(({ pileUp }) => pileUp);
  if (high.length === 0) return null;
  return (
    <div className="note" data-tone="held">
      <strong>{say('calendar.pileUp', { n: pileUpFrom })}</strong>
      <ul>
        {high.map(({ at, wakeUps, sends }) => (
          <li key={at}>
            <Link to={to(at)}>{fully(Date.parse(at), say.language, zone)}</Link>: {whatOf(say, { wakeUps, sends })}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Week({ calendar }: { readonly calendar: Calendar }) {
  const say = useSay();
  const to = useDue(calendar);
  const { items, zone, from } = calendar;
  const byHour = new Map(items.map((hour) => [keyOf(hour.at, zone), hour]));
  const most = Math.max(...items.map(loadOf));
  const days = Array.from({ length: 8 }, (_, n) => Date.parse(from) + n * DAY_MS);
  const current = hourOf(Date.parse(from), zone);
  const week = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Where not all hours fit, it opens at the present one, beside the names of the days.
    const [hour, day] = [week.current?.querySelector('[aria-current]'), week.current?.querySelector('[scope="row"]')];
    if (hour && day)
      week.current?.scrollBy({ left: hour.getBoundingClientRect().left - day.getBoundingClientRect().right });
  }, [current]);
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={say('nav.calendar')} ref={week}>
      <table className="week">
        <caption className="spoken">{say('calendar.about')}</caption>
        <thead>
          <tr>
            <td />
            {HOURS.map((hour) => (
              <th key={hour} scope="col" aria-current={hour === current ? 'time' : undefined}>
                {String(hour).padStart(2, '0')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day}>
              <th scope="row">{dayBriefly(day, say.language, zone)}</th>
              {HOURS.map((hour) => (
                <Hour key={hour} hour={byHour.get(`${dayOf(day, zone)} ${hour}`)} {...{ most, zone, to }} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Four shades: how full an hour is beside the fullest. The number says it too. */
function Hour({
  hour,
  most,
  zone,
  to,
}: {
  readonly hour: CalendarHour | undefined;
  readonly most: number;
  readonly zone: string;
  readonly to: (at: string) => string;
}) {
  const say = useSay();
  if (hour === undefined) return <td />;
  const { at, wakeUps, sends, pileUp } = hour;
  const what = `${fully(Date.parse(at), say.language, zone)}: ${whatOf(say, { wakeUps, sends })}`;
  return (
    <td data-shade={Math.ceil((loadOf(hour) / most) * 4)} data-high={pileUp || undefined}>
      <Link to={to(at)} title={what}>
        {loadOf(hour)}
        {pileUp && <span aria-hidden="true">!</span>}
        <span className="spoken">{what}</span>
      </Link>
    </td>
  );
}

/** What there is of it: `3 wake-ups, 1 message`. */
function whatOf(say: Say, { wakeUps, sends }: Pick<CalendarHour, 'wakeUps' | 'sends'>): string {
  const parts = [
    wakeUps > 0 && say.count('calendar.wakeUps', wakeUps),
    sends > 0 && say.count('calendar.sends', sends),
  ];
  return parts.filter((part) => part !== false).join(', ');
}

function loadOf({ wakeUps, sends }: CalendarHour): number {
  return wakeUps + sends;
}

/** Of the hour in the zone: its day and its number. */
function keyOf(at: string, zone: string): string {
  const ms = Date.parse(at);
  return `${dayOf(ms, zone)} ${hourOf(ms, zone)}`;
}

function hourOf(ms: number, zone: string): number {
  return Number(new Intl.DateTimeFormat('en-GB', { hour: 'numeric', hourCycle: 'h23', timeZone: zone }).format(ms));
}
