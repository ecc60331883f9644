/**
 * Why a run wakes when it does, step by step: what was asked for, what moved it, what holds back the messages that wait.
 * Derived at reading time from what the run, its wake-ups and its acts say; nothing is stored for it.
 */
import {
  ASKED_AT_ATTACH,
  ASKED_BY_AGENT,
  ATTACHED,
  FIRST_RUN,
  isRetry,
  outageIn,
  snoozerIn,
  SPREAD_BY_JITTER,
} from './next-run-why.ts';
import type { WakeStep } from './schemas/next-wake.ts';
import type { Run } from './schemas/runs.ts';

/** The latest wake-ups and acts of a run, newest first: a few of each are enough. */
export interface LatestOfRun {
  readonly ticks: readonly {
    readonly endedAt: string;
    readonly outcome:
      | { readonly kind: 'reschedule'; readonly nextRunAt: string | null; readonly why: string | null }
      | { readonly kind: 'failed'; readonly fault: string; readonly message: string }
      | { readonly kind: 'finish' | 'switched_off' };
  }[];
  readonly acts: readonly {
    readonly act: string;
    readonly actor: string;
    readonly comment: string | null;
    readonly at: string;
  }[];
  /** Why its wake-up cannot begin, as a worker said last; null, or absent: nothing holds it up. */
  readonly heldUp?: string | null;
}

/** In the order in which they came; empty for a run that has ended. A step of an effect bears its key. */
export function nextRunSteps(run: Run, latest: LatestOfRun): WakeStep[] {
  if (run.endedAt !== null || run.nextRunAt === null) return [];
  return [
    ...plannedSteps(run, latest),
    ...wokenStep(latest),
    ...burstStep(run),
    ...pausedStep(run, latest),
    ...heldUpStep(latest),
    ...heldSteps(run),
  ];
}

const step = (
  rule: string,
  { from = null, until = null, effect = null }: Partial<Pick<WakeStep, 'from' | 'until' | 'effect'>>,
  params: WakeStep['params'] = {},
): WakeStep => ({ rule, from, until, effect, params });

/** What set the due time: the agent, if its latest plan is for then; else what the run's own sentence says, and the record behind that. */
function plannedSteps(run: Run, latest: LatestOfRun): WakeStep[] {
  const { nextRunAt: until, attachedAt, policy } = run;
  const why = run.nextRunWhy ?? '';
  const asked = askedStep(latest);
  if (asked !== null && Date.parse(asked.until ?? '') === Date.parse(until ?? '')) return [asked];
  const before = asked === null ? [] : [asked];
  const snoozer = snoozerIn(why);
  if (snoozer !== null) {
    const act = latest.acts.find((one) => one.act === 'snooze');
    const params = { actor: act?.actor ?? snoozer, comment: act?.comment ?? null };
    return [...before, step('snooze', { from: act?.at ?? null, until }, params)];
  }
  const outage = outageIn(why);
  if (outage !== null) return [...before, step('outage', { from: outage.since, until }, { message: outage.message })];
  if (isRetry(why)) return [...before, retryStep(run, latest)];
  if (why === SPREAD_BY_JITTER) return [step('jitter', { from: attachedAt, until }, { upTo: policy?.jitter ?? null })];
  if (why === ASKED_AT_ATTACH) return [step('asked', { from: attachedAt, until }, { by: 'attach' })];
  if (why === FIRST_RUN || why === ATTACHED) return [step('first_run', { from: attachedAt, until })];
  return [step('asked', { from: asked?.from ?? null, until }, { by: 'agent', why: why === ASKED_BY_AGENT ? '' : why })];
}

/** What the agent asked for last, whether or not something else has moved it since; null: not known. */
function askedStep({ ticks }: LatestOfRun): WakeStep | null {
  for (const { endedAt, outcome } of ticks)
    if (outcome.kind === 'reschedule' && outcome.nextRunAt !== null)
      return step('asked', { from: endedAt, until: outcome.nextRunAt }, { by: 'agent', why: outcome.why ?? '' });
  return null;
}

function retryStep({ nextRunAt: until, failures, policy }: Run, { ticks }: LatestOfRun): WakeStep {
  const tick = ticks.find(({ outcome }) => outcome.kind === 'failed');
  const failed = tick?.outcome.kind === 'failed' ? tick.outcome : null;
  return step(
    'retry',
    { from: tick?.endedAt ?? null, until },
    {
      ...{ failures, of: policy?.maxConsecutiveFailures ?? null, after: policy?.retryAfter ?? null },
      ...{ fault: failed?.fault ?? null, message: failed?.message ?? null },
    },
  );
}

/** Asked to wake, and no wake-up has ended since. */
function wokenStep({ ticks, acts }: LatestOfRun): WakeStep[] {
  const act = acts.find((one) => one.act === 'wake');
  if (act === undefined || (ticks[0] !== undefined && ticks[0].endedAt >= act.at)) return [];
  return [step('wake', { from: act.at }, { actor: act.actor, comment: act.comment })];
}

function burstStep({ phase, policy, queued }: Run): WakeStep[] {
  return phase === 'debouncing' ? [step('debounce', {}, { ...(policy?.debounce ?? {}), queued })] : [];
}

function pausedStep({ phase, pausedUntil, actor, comment }: Run, { acts }: LatestOfRun): WakeStep[] {
  if (phase !== 'paused') return [];
  const from = acts.find((one) => one.act === 'pause')?.at ?? null;
  return [step('paused', { from, until: pausedUntil }, { actor, comment })];
}

function heldUpStep({ heldUp: message = null }: LatestOfRun): WakeStep[] {
  return message === null ? [] : [step('held_up', {}, { message })];
}

/** One message after the other: each rule that moved it, in turn. Held by the pause alone is told by the pause. */
function heldSteps({ pendingEffects }: Run): WakeStep[] {
  return pendingEffects.flatMap(
    ({ key: effect, effect: { kind }, state, reason, since, dueAt, moves = [], attempts }) => {
      if (state !== 'parked' || reason === null || reason === 'paused') return [];
      const params = { kind, attempts };
      if (moves.length === 0) return [step(reason, { from: since, until: dueAt, effect }, params)];
      return moves.map(({ rule, from, until }) => step(rule, { from, until, effect }, params));
    },
  );
}
