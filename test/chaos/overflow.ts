/**
 * `npm run chaos -- overflow`: a paused run is told more events than its queue holds, then resumed: each is consumed once.
 * A real desk and a server that skips time; half a minute.
 */
import { reschedule } from '../../src/agents/outcomes.ts';
import { eventArrived, pause, resume } from '../../src/workflows/messages.ts';
import { QUEUE_LIMIT } from '../../src/workflows/run-data.ts';
import { RunRig } from '../support/run-rig.ts';
import { timeSkipping } from '../support/temporal.ts';

const EVENTS = 2 * QUEUE_LIMIT + 500;

/** @returns whether every rule was kept. */
export async function overflow(): Promise<boolean> {
  const startedAt = performance.now();
  const environment = await timeSkipping();
  const rig = await RunRig.open(environment);
  try {
    const heard: string[] = [];
    const agent = rig.agent(
      ({ events }) => {
        heard.push(...events.map(({ id }) => id));
        return reschedule({ in: '30d', state: {} });
      },
      { wakeOn: ['custom.noted'], policy: { debounce: { quiet: '0s', max: '0s' } } },
    );
    const run = await rig.attach(agent);
    await rig.asleep(run, 1);
    await run.handle.executeUpdate(pause, { args: [{ actor: 'ana' }] });
    const told = await rig.storeEvents(run, EVENTS);
    await Promise.all(told.map(async (event) => run.handle.signal(eventArrived, event)));
    await rig.until(run, ({ queued }) => queued >= QUEUE_LIMIT);
    const { ticks: whilePaused } = await rig.view(run);
    const latest = environment.client.workflow.getHandle(run.handle.workflowId);
    await latest.executeUpdate(resume, { args: [{ actor: 'ana' }] });
    await rig.until(run, ({ phase, queued }) => phase === 'asleep' && queued === 0 && heard.length >= EVENTS);
    const { ticks } = await rig.view(run);
    await rig.end(run);
    const rows = {
      'events told to a paused run': EVENTS,
      'ticks while it was paused': whilePaused - 1,
      'consumed; of these different ones': `${heard.length}; ${new Set(heard).size}`,
      'ticks after it was resumed': ticks - whilePaused,
      'seconds it took': Math.round((performance.now() - startedAt) / 1_000),
    };
    console.log('| overflow | |\n|---|---|');
    for (const [name, value] of Object.entries(rows)) console.log(`| ${name} | ${value} |`);
    return whilePaused === 1 && heard.length === EVENTS && new Set(heard).size === EVENTS;
  } finally {
    await rig.close();
    await environment.teardown();
  }
}
