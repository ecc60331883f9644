/** Runs and what happened to them, for people. */
import type { TimelineEntry } from '../desk/desk.ts';
import { ARRIVED } from '../domain/deliveries.ts';
import { formatDuration } from '../domain/durations.ts';
import { runName } from '../domain/ids.ts';
import type { OneRun, RunSummary } from '../domain/schemas/runs.ts';
import type { ListedRun } from '../http/answers/runs.ts';
import { fields, table } from './terminal.ts';
import { heldBy, heldWords, wakeWords } from './wake-words.ts';

/** `in 5m 3s` or `2h ago`. */
export function fromNow(instant: string | null, now = Date.now()): string {
  if (instant === null) return '–';
  const distance = Date.parse(instant) - now;
  if (Math.abs(distance) < 1_000) return 'now';
  return distance > 0 ? `in ${formatDuration(distance)}` : `${formatDuration(-distance)} ago`;
}

/** As lists and `show` tell it. */
type Shown = RunSummary & Partial<Pick<ListedRun, 'heldUp' | 'trouble'>>;

/** Where a line has no room for both, what a run does or why it ended stands for its status. */
const ROOM_FOR_STATUS = 120;

export function runsTable(runs: readonly Shown[], columns: number | undefined): string {
  const standing = (columns ?? Infinity) < ROOM_FOR_STATUS ? doing : stand;
  const rows = runs.map((run) => [
    runName(run),
    run.agent,
    standing(run),
    run.endedAt === null ? nextOf(run) : '–',
    String(run.ticks),
    fromNow(run.endedAt ?? run.attachedAt),
  ]);
  return table(['RUN', 'AGENT', 'STATUS', 'NEXT', 'TICKS', 'SINCE'], rows, columns, { spare: ['TICKS', 'SINCE'] });
}

/** A pause may outlast the due time: how long it lasts, `attache show` says. */
function nextOf({ phase, nextRunAt }: RunSummary): string {
  if (phase === 'paused') return 'paused';
  return phase === 'thinking' ? 'now' : fromNow(nextRunAt);
}

/** Of a live run the actor is who paused it, else who attached it. */
function byWhom({ status, phase, actor }: RunSummary): string | null {
  if (actor === null || status !== 'IN_PROGRESS') return actor;
  return `${actor}, who ${phase === 'paused' ? 'paused' : 'attached'} it`;
}

export function oneRun(run: OneRun): string {
  const message = run.nextRunSteps.find(({ rule }) => rule === 'held_up')?.params['message'];
  const heldUp = typeof message === 'string' ? message : null;
  const entries: [string, string | null][] = [
    ['run', runName(run)],
    ['agent', `${run.agent}${run.agentVersion === null ? '' : ` v${run.agentVersion}`}`],
    ['status', stand({ ...run, heldUp })],
    ['by', byWhom(run)],
    ['comment', run.comment],
    ['next run', nextRunOf(run)],
    ['held up', heldUp],
    ...run.nextRunSteps
      .filter(({ rule, effect }) => rule !== 'held_up' && effect === null)
      .map((step): [string, string] => ['why', wakeWords(step)]),
    ['paused until', run.pausedUntil],
    ['ticks', `${run.ticks}${run.failures > 0 ? `, the last ${run.failures} failed` : ''}`],
    ['queued', run.queued === 0 ? null : `${run.queued} events`],
    ['attached', run.attachedAt],
    ['ended', run.endedAt],
    ['id', run.id],
    ['state', JSON.stringify(run.state)],
    ...run.pendingEffects.map((one): [string, string] => ['pending', pendingOf(one, run.nextRunSteps)]),
  ];
  return fields(entries.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** Why is in the steps, where there are any. A pause that outlasts the due time is what it waits for. */
function nextRunOf({ nextRunAt, nextRunWhy, nextRunSteps, phase, pausedUntil }: OneRun): string | null {
  if (nextRunAt === null) return null;
  if (phase === 'paused' && pausedUntil === null) return `when it is resumed; it is due ${nextRunAt}`;
  if (phase === 'paused' && pausedUntil !== null && pausedUntil > nextRunAt)
    return `${pausedUntil} (${fromNow(pausedUntil)}), when the pause ends; it is due ${nextRunAt}`;
  const why = nextRunSteps.length > 0 || nextRunWhy === null ? '' : `: ${nextRunWhy}`;
  return `${nextRunAt} (${fromNow(nextRunAt)})${why}`;
}

/** Decided and not done: by what it is held and until when, where it is. */
function pendingOf(
  { key, effect, state, reason, dueAt }: OneRun['pendingEffects'][number],
  steps: OneRun['nextRunSteps'],
) {
  const holds = steps.filter((step) => step.effect === key);
  const held = holds.length > 0 ? heldBy(holds) : reason === null ? null : heldWords(reason);
  return `${effect.kind} ${state}${held === null ? '' : `: ${held}`}${dueAt === null ? '' : ` (${fromNow(dueAt)})`}`;
}

export function timelineTable(entries: readonly TimelineEntry[], columns: number | undefined): string {
  return table(
    ['AT', 'WHAT', 'DETAILS'],
    entries.map((entry) => [entry.at, whatOf(entry), detailsOf(entry)]),
    columns,
  );
}

function stand(run: Shown): string {
  const more = doing(run);
  return more === run.status ? more : `${run.status} (${more})`;
}

function doing({ status, reason, phase, heldUp, trouble, failures }: Shown): string {
  if (reason !== null || phase === null) return reason ?? status;
  if (heldUp != null) return 'held up';
  if (phase !== 'paused' && failures > 0) return `failing ${failures}`;
  return trouble === 'overdue' ? 'late' : phase;
}

type Effect = Extract<TimelineEntry, { entry: 'effect' }>;

function whatOf(entry: TimelineEntry): string {
  switch (entry.entry) {
    case 'tick':
      return `tick ${entry.tick}`;
    case 'event':
      return entry.type;
    case 'effect':
      return entry.kind;
    case 'act':
      return entry.act;
    case 'end':
      return 'end';
  }
}

function detailsOf(entry: TimelineEntry): string {
  switch (entry.entry) {
    case 'tick':
      return `${entry.why}: ${outcomeOf(entry.outcome)}`;
    case 'event':
      return joined([entry.stale ? 'stale' : null, entry.text]);
    case 'effect':
      return joined([
        stateOf(entry),
        ...arrivalOf(entry),
        entry.error,
        entry.reason === ARRIVED ? 'the first had arrived' : entry.reason,
        entry.dueAt === null ? null : `until ${entry.dueAt}`,
        entry.text,
      ]);
    case 'act':
      return joined([entry.stale ? 'stale' : null, `by ${entry.actor}`, entry.comment]);
    case 'end':
      return joined([
        `${entry.status} (${entry.reason})`,
        entry.actor === null ? null : `by ${entry.actor}`,
        entry.comment,
      ]);
  }
}

/** Only a message is sent; a note, a hand-off or a close is done. */
function stateOf({ kind, state, reason }: Effect): string {
  if (reason === ARRIVED) return 'not sent again';
  return state === 'sent' && kind !== 'message.send' ? 'done' : state;
}

/** How far a message came, and when. */
function arrivalOf({ state, status, deliveredAt, readAt }: Effect): (string | null)[] {
  const [how, at] = readAt === null ? ['delivered', deliveredAt] : ['read', readAt];
  return [status === state || (at !== null && status === how) ? null : status, at === null ? null : `${how} ${at}`];
}

function outcomeOf(outcome: Extract<TimelineEntry, { entry: 'tick' }>['outcome']): string {
  switch (outcome.kind) {
    case 'reschedule':
      return joined([`next ${outcome.nextRunAt ?? 'as before'}`, outcome.why, outcome.effects.join(', ') || null]);
    case 'finish':
      return joined([`${outcome.status} (${outcome.reason})`, outcome.effects.join(', ') || null]);
    case 'failed':
      return `failed: ${outcome.fault}: ${outcome.message}`;
    case 'switched_off':
      return `switched off by ${outcome.by}`;
  }
}

function joined(parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null).join(' · ');
}
