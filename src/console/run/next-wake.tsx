/** When it wakes next and why then: what was asked for, and what moved it. */
import { useQuery } from '@tanstack/react-query';
import { useConnection } from '../api/context.ts';
import type { Run, TimelineEntry } from '../api/shapes.ts';
import { Instant } from '../time/instant.tsx';
import { useNow } from '../time/clock.ts';
import { relative } from '../time/format.ts';
import { sayHeld, sayOr, useSay } from '../words/words.ts';
import { useTimeline } from './use-timeline.ts';
import { WakeSteps } from './wake-steps.tsx';

export function NextWake({ run }: { readonly run: Run }) {
  const say = useSay();
  const now = useNow();
  const zone = run.policy?.timeZone;
  const failed = useLastFailure(run);
  const wakesAt = wakeOf(run);
  const isAwake = run.phase === 'thinking' || run.phase === 'sending';
  return (
    <div
      className="note next-wake"
      data-tone={run.phase === 'paused' ? 'held' : run.failures > 0 ? 'trouble' : undefined}
    >
      <SwitchedOff run={run} />
      {run.phase === 'paused' && (
        <p>
          <strong>{say('run.paused')}</strong>{' '}
          {run.pausedUntil === null ? (
            say('run.pausedOpen')
          ) : (
            <>
              {say('run.pausedUntil')} <Instant at={run.pausedUntil} how="fully" zone={zone} />
            </>
          )}
          {run.actor !== null && ` · ${say('run.by', { actor: run.actor })}`}
          {run.comment !== null && ` · ${run.comment}`}
        </p>
      )}
      {isAwake && (
        <p>
          <strong>{say('run.awake')}</strong>
        </p>
      )}
      {wakesAt !== null && (
        <p>
          <strong>{say(isAwake && Date.parse(wakesAt) <= now ? 'run.wasDue' : 'run.nextWake')}</strong>:{' '}
          <Instant at={wakesAt} how="fully" zone={zone} />{' '}
          <span className="quiet">({relative(Date.parse(wakesAt) - now, say.language)})</span>
        </p>
      )}
      {run.nextRunAt !== null && run.nextRunAt !== wakesAt && (
        <p className="quiet">
          {say('run.heldSince')} <Instant at={run.nextRunAt} how="fully" zone={zone} />
        </p>
      )}
      <Why run={run} />
      {run.failures > 0 && failed !== undefined && (
        <p>
          {say('run.failing', {
            n: run.failures,
            max: run.policy?.maxConsecutiveFailures ?? '–',
            message: say.told(failed),
          })}
        </p>
      )}
      {run.queued > 0 && <p>{say.count('run.queued', run.queued)}</p>}
      <Waiting run={run} />
    </div>
  );
}

/** Null: when somebody resumes it. A pause beyond the due time holds it until its own end. */
function wakeOf({ phase, nextRunAt, pausedUntil }: Run): string | null {
  if (phase !== 'paused' || nextRunAt === null) return nextRunAt;
  if (pausedUntil === null) return null;
  return Date.parse(pausedUntil) > Date.parse(nextRunAt) ? pausedUntil : nextRunAt;
}

/** Step by step; an act's answer and an older server know the one reason alone. */
function Why({ run }: { readonly run: Run }) {
  const say = useSay();
  const steps = run.nextRunSteps?.filter(({ effect }) => effect === null) ?? [];
  if (steps.length > 0)
    return (
      <p className="quiet">
        <WakeSteps steps={steps} zone={run.policy?.timeZone} />
      </p>
    );
  return run.nextRunWhy === null ? null : <p className="quiet">{say.told(run.nextRunWhy)}</p>;
}

function useLastFailure(run: Run): string | undefined {
  const { entries } = useTimeline(run);
  const tick = entries?.findLast((entry): entry is TimelineEntry & { entry: 'tick' } => entry.entry === 'tick');
  return tick?.outcome.kind === 'failed' ? tick.outcome.message : undefined;
}

/** A kill switch that covers it is why nothing happens. */
function SwitchedOff({ run }: { readonly run: Run }) {
  const say = useSay();
  const { server, session } = useConnection();
  const { data } = useQuery({
    // A panel's token shows its conversation alone.
    enabled: session.panel == null,
    queryKey: [server.tenant, 'switches'],
    queryFn: ({ signal }) => server.switches({ signal }),
  });
  const off = data?.find(({ scope, key }) => scope === 'tenant' || (scope === 'agent' && key === run.agent));
  if (off === undefined) return null;
  return (
    <p>
      <strong>{say('run.switchedOff')}</strong> {say('run.by', { actor: off.by })}
      {off.reason !== null && ` · ${off.reason}`}
    </p>
  );
}

/** Decided and not done: until when each is held, and by what. */
function Waiting({ run }: { readonly run: Run }) {
  const say = useSay();
  if (run.pendingEffects.length === 0) return null;
  return (
    <>
      <p className="quiet">{say('run.waiting')}</p>
      <ul>
        {run.pendingEffects.map((pending) => (
          <li key={pending.key}>
            <Held run={run} pending={pending} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Held({ run, pending }: { readonly run: Run; readonly pending: Run['pendingEffects'][number] }) {
  const say = useSay();
  const { key, effect, reason, dueAt } = pending;
  const zone = run.policy?.timeZone;
  const steps = run.nextRunSteps?.filter((step) => step.effect === key) ?? [];
  return (
    <>
      {sayOr(say, `effect.${effect.kind}`, effect.kind)}
      {'text' in effect && effect.text !== undefined && ` “${effect.text}”`}
      <span className="quiet">
        {dueAt !== null && (
          <>
            {` ${say('effect.until')} `}
            <Instant at={dueAt} how="fully" zone={zone} />
          </>
        )}
        {steps.length > 0 ? (
          <>
            {': '}
            <WakeSteps steps={steps} zone={zone} />
          </>
        ) : (
          reason !== null && ` · ${sayHeld(say, reason)}`
        )}
      </span>
    </>
  );
}
