/** The least a Temporal workflow can do to wake, work and sleep again: what the run loop is measured against. */
import { condition, continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';

const { work } = proxyActivities<{ work(): Promise<void> }>({ startToCloseTimeout: '1m', heartbeatTimeout: '10s' });

export async function bareLoop(input: { ticks: number; intervalMs: number }): Promise<void> {
  for (let tick = 1; tick <= input.ticks; tick += 1) {
    await condition(() => false, input.intervalMs);
    await work();
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof bareLoop>({ ...input, ticks: input.ticks - tick });
  }
}
