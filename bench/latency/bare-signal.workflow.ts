/** The least a Temporal workflow can do to be woken by a signal and work: what a run's wake-up is measured against. */
import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';

const { work } = proxyActivities<{ work(n: number): Promise<void> }>({ startToCloseTimeout: '1m' });

export const arrived = defineSignal<[number]>('arrived');

export async function bareSignal(): Promise<void> {
  const queue: number[] = [];
  setHandler(arrived, (n) => void queue.push(n));
  for (;;) {
    await condition(() => queue.length > 0);
    const n = queue.shift();
    if (n === undefined || n < 0) return;
    await work(n);
  }
}
