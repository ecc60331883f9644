/** Where a workflow is, waited for: what a history is to be taken at. */
import { setTimeout as pause } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { view } from '../../src/workflows/messages.ts';

/** @param parked how many effects of an end are. */
export async function until(handle: WorkflowHandle, phase: string, ticks: number, parked = 1): Promise<void> {
  for (;;) {
    const shown = await handle.query(view);
    const isParked = shown.pendingEffects.filter(({ state }) => state === 'parked').length >= parked;
    if (shown.phase === phase && shown.ticks >= ticks && (phase !== 'ending' || isParked)) return;
    await pause(20);
  }
}

/** The activity under way has failed, and is to be tried again. */
export async function retrying(handle: WorkflowHandle): Promise<void> {
  for (;;) {
    const { raw } = await handle.describe();
    if ((raw.pendingActivities?.[0]?.attempt ?? 0) > 1) return;
    await pause(20);
  }
}

/** Sure to have been handed out, so many times, and so to be in the history. */
export async function activities(handle: WorkflowHandle, kind: string, times = 1): Promise<void> {
  for (;;) {
    const { events } = await handle.fetchHistory();
    const found = (events ?? []).filter((event) => kind in event && event[kind as keyof typeof event] != null);
    if (found.length >= times) return;
    await pause(20);
  }
}
