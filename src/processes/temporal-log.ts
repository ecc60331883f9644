/** What Temporal's own logger says, in ours. */
import { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { UNKNOWN_AGENT } from '../activities/failures.ts';
import type { Log } from '../telemetry/logger.ts';
import { TICK_FAULT } from '../workflows/activity-types.ts';

/** One try in so many of a run that is held up is logged: with one every ten seconds, one in five minutes. */
const HELD_UP_TOLD_EVERY = 30;

let isInstalled = false;

/** Temporal's runtime is one a process. Signals are the entries' affair. */
export function useOurLog(log: Log): void {
  if (isInstalled) return;
  isInstalled = true;
  Runtime.install({ logger: temporalLogger(log), shutdownSignals: [] });
}

export function temporalLogger(log: Log): DefaultLogger {
  return new DefaultLogger('WARN', ({ level, message, meta = {} }) => {
    // The worker for slow ticks has no workflows, on purpose.
    if (message.startsWith('No workflows registered')) return;
    const { error } = meta as { readonly error?: unknown };
    const type = error instanceof ApplicationFailure ? error.type : undefined;
    // Told by the tick itself, with the agent's own stack and without its words.
    if (type === TICK_FAULT) return;
    if (error instanceof ApplicationFailure && type === UNKNOWN_AGENT) return heldUp(log, meta, error.message);
    const fields = { temporal: true, ...meta };
    if (level === 'ERROR') log.error(fields, message);
    else log.warn(fields, message);
  });
}

/** No stack: it is nobody's code that failed, and goes on until somebody deploys or detaches. */
function heldUp(log: Log, meta: Readonly<Record<string, unknown>>, why: string): void {
  const { workflowId, attempt } = meta;
  if (typeof attempt === 'number' && attempt % HELD_UP_TOLD_EVERY !== 1) return;
  log.warn({ run: String(workflowId), why }, 'a run is held up');
}
