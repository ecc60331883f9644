/** The part of a list's filter that a bulk act understands; undefined where the list is narrowed by more than that. */
import type { RunFilter } from '../api/server.ts';

/** Which live runs a bulk act means: `POST /bulk`. */
export interface BulkFilter {
  readonly agent?: string;
  readonly version?: number;
  readonly subject?: string;
  readonly phase?: string;
  readonly failing?: boolean;
  readonly dueWithin?: string;
  readonly costMin?: number;
  readonly q?: string;
}

/** An act means live runs, so a list of ended ones has none. */
export function bulkFilterOf(filter: RunFilter): BulkFilter | undefined {
  const { status, agent, version, subject, phase, failing, due, cost, q, ...others } = filter;
  if (Object.keys(others).length > 0 || (status !== undefined && status !== 'IN_PROGRESS')) return undefined;
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(version === undefined ? {} : { version: Number(version) }),
    ...(subject === undefined ? {} : { subject }),
    ...(phase === undefined ? {} : { phase }),
    ...(failing === undefined ? {} : { failing: failing === 'true' }),
    ...(due === undefined ? {} : { dueWithin: due }),
    ...(cost === undefined ? {} : { costMin: Number(cost) }),
    ...(q === undefined ? {} : { q }),
  };
}
