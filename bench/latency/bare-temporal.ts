/** Temporal alone: a signal to a sleeping workflow, which starts an activity. */
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { connectClient, embeddedTarget } from '../../src/temporal/connection.ts';
import { until } from '../../test/support/until.ts';
import { now, SLEEPERS, type Engine } from './engine.ts';

const QUEUE = 'bare-signal';

export async function startBareTemporal(address: string): Promise<Engine> {
  const client = await connectClient(embeddedTarget(address));
  const connection = await NativeConnection.connect({ address });
  const begun = new Map<number, number>();
  const worker = await Worker.create({
    connection,
    taskQueue: QUEUE,
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('./bare-signal.workflow.ts', import.meta.url)),
      logger: new DefaultLogger('ERROR'),
    }),
    activities: {
      async work(n: number) {
        begun.set(n, now());
      },
    },
  });
  const running = worker.run();
  const idOf = (n: number) => `bare-signal-${n % SLEEPERS}`;
  for (let n = 0; n < SLEEPERS; n += 1)
    await client.workflow.start('bareSignal', { taskQueue: QUEUE, workflowId: idOf(n), args: [] });
  return {
    name: 'bare Temporal: signal → activity',
    send: async (n) => client.workflow.getHandle(idOf(n)).signal('arrived', n),
    begun: async (events) => until('every signal to be worked on', () => events.every((n) => begun.has(n)) && begun),
    async close() {
      for (let n = 0; n < SLEEPERS; n += 1) await client.workflow.getHandle(idOf(n)).terminate();
      worker.shutdown();
      await running;
      await connection.close();
      await client.connection.close();
    },
  };
}
