/**
 * `npm run chaos -- crash-loop`: a tick that kills its worker, five times. Real processes, `kill -9`: nobody says a word,
 * and the sixth attempt ends the run. About a minute and a half. Needs a PostgreSQL (TEST_DATABASE_URL).
 */
import type { Running } from '../support/attache.ts';
import { openGate } from '../support/gate.ts';
import { deploy } from '../support/processes.ts';
import { until } from '../support/until.ts';

const TENANT = 'chaos';
const CRASHES = 5;
/** A dead attempt is noticed within ten seconds, and tried again after sixteen at most; the rest is the worker's start. */
const PATIENCE_MS = 2 * 60_000;

/** @returns whether every rule was kept. */
export async function crashLoop(): Promise<boolean> {
  const startedAt = performance.now();
  const gate = await openGate();
  const deployment = await deploy({ tenants: { [TENANT]: { channels: [{ kind: 'simulated' }] } } });
  try {
    const { url } = await deployment.server();
    const api = deployment.api(url, TENANT);
    let worker: Running = await deployment.worker();
    const attached = await api.attach('1', { agent: 'gate', config: { gate: gate.url } });
    for (let crash = 1; crash <= CRASHES; crash += 1) {
      await until(`attempt ${crash} to be thinking`, () => gate.arrivals('1') === crash, PATIENCE_MS);
      await worker.kill();
      console.error(`worker ${crash} was killed in attempt ${crash}`);
      worker = await deployment.worker();
    }
    await until('the run to have ended', async () => (await api.run('1')).status !== 'IN_PROGRESS', PATIENCE_MS);
    const { status, reason, ticks, failures } = await api.run('1');
    const found = { attach: attached.status, status, reason, ticks, failures, thought: gate.arrivals('1') };
    const wanted = {
      ...{ attach: 201, status: 'REMOVED_BY_SYSTEM', reason: 'crash_loop', ticks: 1, failures: 0 },
      thought: CRASHES,
    };
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    console.log('| crash-loop | |\n|---|---|');
    for (const [name, value] of Object.entries({ ...found, seconds })) console.log(`| ${name} | ${value ?? ''} |`);
    const isKept = JSON.stringify(found) === JSON.stringify(wanted);
    if (!isKept) console.log(`\nBROKEN: expected ${JSON.stringify(wanted)}`);
    return isKept;
  } finally {
    await deployment.close();
    await gate.close();
  }
}
