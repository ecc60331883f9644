/** What the list is narrowed by, as the address says it: every filtered list can be linked to and gone back to. */
import type { RunFilter } from '../api/server.ts';
import type { RunRow } from '../api/shapes.ts';

export const FILTER_NAMES = [
  ...[
    'status',
    'phase',
    'reason',
    'agent',
    'version',
    'due',
    'failing',
    'cost',
    'q',
    'subject',
    'plannedFrom',
    'plannedTo',
    'endedFrom',
    'endedTo',
  ],
] as const satisfies readonly (keyof RunFilter)[];

export function filterOf(query: URLSearchParams): RunFilter {
  return Object.fromEntries(
    FILTER_NAMES.flatMap((name) => {
      const value = query.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
}

export function isNarrowed(filter: RunFilter): boolean {
  return Object.keys(filter).length > 0;
}

/** Whether a run that was found before still is, as far as it can be told without asking. */
export function stillFits({ status, phase, reason, failing, due, plannedTo }: RunFilter, run: RunRow): boolean {
  return (
    (status === undefined || run.status === status) &&
    (phase === undefined || run.phase === phase) &&
    (reason === undefined || run.reason === reason) &&
    (failing === undefined || run.failures > 0) &&
    ((due ?? plannedTo) === undefined || run.status === 'IN_PROGRESS')
  );
}
