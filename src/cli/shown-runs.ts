/** Runs and what happened to them, for people. */
import type { TimelineEntry } from '../desk/desk.ts';
import { formatDuration } from '../domain/durations.ts';
import { runName } from '../domain/ids.ts';
import type { OneRun, RunSummary } from '../domain/schemas/runs.ts';
import { fields, table } from './terminal.ts';

/** `in 5m 3s` or `2h ago`. */
export function fromNow(instant: string | null, now = Date.now()): string {
  if (instant === null) return '–';
  const distance = Date.parse(instant) - now;
  if (Math.abs(distance) < 1_000) return 'now';
  return distance > 0 ? `in ${formatDuration(distance)}` : `${formatDuration(-distance)} ago`;
}

export function runsTable(runs: readonly RunSummary[], columns: number | undefined): string {
  const rows = runs.map((run) => [
    runName(run),
    run.agent,
    stand(run),
    run.endedAt === null ? fromNow(run.nextRunAt) : '–',
    String(run.ticks),
    fromNow(run.endedAt ?? run.attachedAt),
  ]);
  return table(['RUN', 'AGENT', 'STATUS', 'NEXT', 'TICKS', 'SINCE'], rows, columns);
}

export function oneRun(run: OneRun): string {
  const entries: [string, string | null][] = [
    ['run', runName(run)],
    ['agent', `${run.agent}${run.agentVersion === null ? '' : ` v${run.agentVersion}`}`],
    ['status', stand(run)],
    ['by', run.actor],
    ['comment', run.comment],
    [
      'next run',
      run.nextRunAt === null
        ? null
        : `${run.nextRunAt} (${fromNow(run.nextRunAt)})${run.nextRunWhy === null ? '' : `: ${run.nextRunWhy}`}`,
    ],
    ...run.nextRunSteps.map((step): [string, string] => ['why', stepOf(step)]),
    ['paused until', run.pausedUntil],
    ['ticks', `${run.ticks}${run.failures > 0 ? `, the last ${run.failures} failed` : ''}`],
    ['queued', run.queued === 0 ? null : `${run.queued} events`],
    ['attached', run.attachedAt],
    ['ended', run.endedAt],
    ['id', run.id],
    ['state', JSON.stringify(run.state)],
    ...run.pendingEffects.map((one): [string, string] => [
      'pending',
      `${one.effect.kind} ${one.state}${one.reason === null ? '' : ` (${one.reason})`}${one.dueAt === null ? '' : ` ${fromNow(one.dueAt)}`}`,
    ]),
  ];
  return fields(entries.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** `quiet_hours until 2026-12-01T08:00:00.000Z (kind message.send)` */
function stepOf({ rule, from, until, params }: OneRun['nextRunSteps'][number]): string {
  const known = Object.entries(params).filter(([, value]) => value !== null && value !== '');
  const more = known.map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return [
    rule,
    ...(from === null ? [] : [`from ${from}`]),
    ...(until === null ? [] : [`until ${until}`]),
    ...(more.length === 0 ? [] : [`(${more.join(', ')})`]),
  ].join(' ');
}

export function timelineTable(entries: readonly TimelineEntry[], columns: number | undefined): string {
  return table(
    ['AT', 'WHAT', 'DETAILS'],
    entries.map((entry) => [entry.at, whatOf(entry), detailsOf(entry)]),
    columns,
  );
}

function stand({ status, reason, phase }: RunSummary): string {
  const more = reason ?? phase;
  return more === null ? status : `${status} (${more})`;
}

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
        entry.state,
        entry.status === entry.state ? null : entry.status,
        entry.readAt !== null
          ? `read ${entry.readAt}`
          : entry.deliveredAt !== null
            ? `delivered ${entry.deliveredAt}`
            : null,
        entry.error,
        entry.reason,
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
