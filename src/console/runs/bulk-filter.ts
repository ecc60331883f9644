/** The part of a list's filter that a bulk act understands; undefined where the list is narrowed by more than that. */
import type { RunFilter } from '../api/server.ts';

/** Which live runs a bulk act means: `POST /bulk`. */
export interface BulkFilter {
  readonly agent?: string;
  readonly subject?: string;
  readonly phase?: string;
  readonly minFailures?: number;
  readonly dueWithin?: string;
}

/** An act means live runs, so a list of ended ones has none. */
export function bulkFilterOf({
  status,
  agent,
  subject,
  phase,
  failing,
  due,
  ...others
}: RunFilter): BulkFilter | undefined {
  if (Object.keys(others).length > 0 || (status !== undefined && status !== 'IN_PROGRESS')) return undefined;
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(subject === undefined ? {} : { subject }),
    ...(phase === undefined ? {} : { phase }),
    ...(failing === undefined ? {} : { minFailures: 1 }),
    ...(due === undefined ? {} : { dueWithin: due }),
  };
}
