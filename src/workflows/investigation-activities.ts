/** The activities as an investigation calls them: time-outs and retries, and the reason of each number. */
import { proxyActivities, type ActivityOptions } from '@temporalio/workflow';
import { TASK_QUEUE } from '../temporal/task-queues.ts';
import type { InvestigationActivities } from './investigation-types.ts';

/** Which pauses between attempts an activity asks for by itself: see `activities/investigations/failures.ts`. */
const BACK_OFF = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' } as const;
/** An ERP that is away for longer than this is somebody's work: then the step, or the action, has failed. */
const PATIENCE = '24h';
/** A step's own time-out ends it; the server only steps in when it does not. */
const GRACE_MS = 5_000;

/** Steps, proposal and verification: they read, so any of them may be tried again. */
export function looking(
  summary: string,
  timeoutMs = 30_000,
): Pick<InvestigationActivities, 'investigateStep' | 'propose' | 'readVersions' | 'verify' | 'readOffers'> {
  return proxied({
    startToCloseTimeout: timeoutMs + GRACE_MS,
    scheduleToCloseTimeout: PATIENCE,
    heartbeatTimeout: '10s',
    retry: BACK_OFF,
    summary,
  });
}

/** Actions and what undoes them: tried again by their key for a day. One attempt: 20 s for the other side, the rest for the desk. */
export function acting(summary: string): Pick<InvestigationActivities, 'performAction' | 'undoAction'> {
  return proxied({
    startToCloseTimeout: '45s',
    scheduleToCloseTimeout: PATIENCE,
    heartbeatTimeout: '10s',
    retry: BACK_OFF,
    summary,
  });
}

/** The desk: until it is back, and for as long as a person has switched the agent off. */
export function recording(
  summary: string,
): Pick<InvestigationActivities, 'beginInvestigation' | 'recordInvestigation' | 'awaitSwitchedOn'> {
  return proxied({ startToCloseTimeout: '30s', retry: { ...BACK_OFF, initialInterval: '500ms' }, summary });
}

function proxied(options: ActivityOptions): InvestigationActivities {
  return proxyActivities<InvestigationActivities>({ taskQueue: TASK_QUEUE, ...options });
}
