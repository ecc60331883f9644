/** One line of a timeline, by its kind. */
import type { Run, TimelineEntry } from '../api/shapes.ts';
import { Instant } from '../time/instant.tsx';
import { lasting, money } from '../time/format.ts';
import { sayComment, sayEffectState, sayHeld, sayOr, useSay } from '../words/words.ts';
import { Delivery } from './delivery.tsx';

type DeliveryStatus = NonNullable<Of<'effect'>['status']>;
type Of<Kind extends TimelineEntry['entry']> = Extract<TimelineEntry, { readonly entry: Kind }>;

export function TimelineLine({ entry, run }: { readonly entry: TimelineEntry; readonly run: Run }) {
  return (
    <li data-entry={entry.entry} data-trouble={isTrouble(entry) || undefined}>
      <span className="at">
        <Instant at={entry.at} how="clock" />
      </span>
      <div>{lineOf(entry, run)}</div>
    </li>
  );
}

function lineOf(entry: TimelineEntry, run: Run) {
  switch (entry.entry) {
    case 'tick':
      return <Tick tick={entry} run={run} />;
    case 'event':
      return <Event event={entry} />;
    case 'effect':
      return <Effect effect={entry} run={run} />;
    case 'act':
      return <Act act={entry} />;
    case 'end':
      return <End end={entry} />;
  }
}

function isTrouble(entry: TimelineEntry): boolean {
  if (entry.entry === 'tick') return entry.outcome.kind === 'failed';
  return entry.entry === 'effect' && (entry.state === 'failed' || entry.state === 'unknown');
}

/** A tick's own timer is never this late unless something is wrong. */
const LATE_MS = 30_000;

function Tick({ tick, run }: { readonly tick: Of<'tick'>; readonly run: Run }) {
  const say = useSay();
  const took = Date.parse(tick.endedAt) - Date.parse(tick.startedAt);
  const late = Date.parse(tick.startedAt) - Date.parse(tick.dueAt);
  const { tokens, cost } = usageOf(tick);
  const facts = [
    tick.why === 'event' ? say.count('tick.woke', tick.events.length) : say(`tick.why.${tick.why}`),
    ...(tick.attempt > 1 ? [say('tick.attempt', { n: tick.attempt })] : []),
    lasting(took, say.language),
    ...(late > LATE_MS ? [say('tick.late', { time: lasting(late, say.language) })] : []),
    ...(tokens === null && cost === null ? [say('tick.noModel')] : []),
    ...(tokens === null ? [] : [say.count('tick.tokens', tokens)]),
    ...(cost === null ? [] : [money(cost, say.language)]),
  ];
  return (
    <>
      <strong>{say('tick.name', { n: tick.tick })}</strong> <span className="quiet">· {facts.join(' · ')}</span>
      <div>
        <Outcome outcome={tick.outcome} run={run} />
      </div>
    </>
  );
}

/** Null while no model is called: a server that calls one says numbers. */
function usageOf({ tokens, cost }: { readonly tokens: number | null; readonly cost: number | null }) {
  return { tokens, cost };
}

function Outcome({ outcome, run }: { readonly outcome: Of<'tick'>['outcome']; readonly run: Run }) {
  const say = useSay();
  switch (outcome.kind) {
    case 'reschedule':
      return (
        <>
          {outcome.nextRunAt === null ? (
            say('outcome.keep')
          ) : (
            <>
              {say('outcome.reschedule')} <Instant at={outcome.nextRunAt} how="fully" zone={run.policy?.timeZone} />
            </>
          )}
          {outcome.why !== null && <span className="quiet"> · {say.told(outcome.why)}</span>}
          {outcome.effects.length === 0 && <span className="quiet"> · {say('outcome.nothing')}</span>}
        </>
      );
    case 'finish':
      return say('outcome.finish', { reason: sayOr(say, `reason.${outcome.reason}`, outcome.reason) });
    case 'failed':
      return say('outcome.failed', { message: say.told(outcome.message) });
    case 'switched_off':
      return say('outcome.switched_off', { by: outcome.by });
  }
}

function Event({ event }: { readonly event: Of<'event'> }) {
  const say = useSay();
  return (
    <>
      {sayOr(say, `event.${event.type}`, event.type)}
      {event.text !== null && <q>{event.text}</q>}
      {event.stale && <span className="quiet"> · {say('event.stale')}</span>}
    </>
  );
}

function Effect({ effect, run }: { readonly effect: Of<'effect'>; readonly run: Run }) {
  const say = useSay();
  return (
    <>
      {sayOr(say, `effect.${effect.kind}`, effect.kind)}
      {effect.text !== null && <q>{effect.text}</q>}{' '}
      {effect.state === 'sent' && effect.status !== null ? (
        <HowFar effect={effect} status={effect.status} />
      ) : (
        <span className={isTrouble(effect) ? undefined : 'quiet'}>{sayEffectState(say, effect)}</span>
      )}
      {effect.reason !== null && <span className="quiet"> · {sayHeld(say, effect.reason)}</span>}
      {effect.dueAt !== null && (
        <span className="quiet">
          {' '}
          {say('effect.until')} <Instant at={effect.dueAt} how="fully" zone={run.policy?.timeZone} />
        </span>
      )}
    </>
  );
}

/** How far a message came, and when it got there. */
function HowFar({ effect, status }: { readonly effect: Of<'effect'>; readonly status: DeliveryStatus }) {
  const say = useSay();
  const at = { sent: effect.sentAt, delivered: effect.deliveredAt, read: effect.readAt, played: null, failed: null };
  return (
    <>
      <Delivery status={status} />
      {at[status] !== null && (
        <span className="quiet">
          {' '}
          <Instant at={at[status]} how="clock" />
        </span>
      )}
      {effect.error !== null && ` · ${say.told(effect.error)}`}
    </>
  );
}

function Act({ act }: { readonly act: Of<'act'> }) {
  const say = useSay();
  return (
    <>
      <strong>{act.actor}</strong> {sayOr(say, `act.${act.act}`, act.act)}
      {act.comment !== null && <q>{sayComment(say, act.actor, act.comment)}</q>}
      {act.stale && <span className="quiet"> · {say('act.tooLate')}</span>}
    </>
  );
}

function End({ end }: { readonly end: Of<'end'> }) {
  const say = useSay();
  return (
    <>
      <strong>{sayOr(say, `ended.${end.reason}`, end.reason)}</strong>
      {end.actor !== null && <span className="quiet"> {say('run.by', { actor: say.told(end.actor) })}</span>}
      {end.comment !== null && <q>{sayComment(say, end.actor, end.comment)}</q>}
    </>
  );
}
