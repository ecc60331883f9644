/**
 * `npm run chaos -- investigation`: one investigation whose worker is killed (`kill -9`) while it gathers evidence, while it waits
 * for its decision and in the middle of the purchase order's write, which the ERP completes with nobody there to hear it. The
 * ERP, over HTTP, cuts every third connection, and two people approve at once. About a minute. Needs a PostgreSQL
 * (TEST_DATABASE_URL).
 */
import type { Investigation } from '../../src/domain/schemas/investigations.ts';
import { openHeldErp } from '../support/held-erp.ts';
import { deploy } from '../support/processes.ts';
import { tenantApi, type Json } from '../support/tenant-api.ts';
import { until } from '../support/until.ts';

const TENANT = 'chaos';
/** A dead attempt is noticed within ten seconds; the rest is the worker's start. */
const PATIENCE_MS = 2 * 60_000;

/** @returns whether every rule was kept. */
export async function investigation(): Promise<boolean> {
  const startedAt = performance.now();
  const erp = await openHeldErp({ cutEvery: 3 });
  const deployment = await deploy({ tenants: { [TENANT]: { channels: [{ kind: 'simulated' }], erp: erp.config } } });
  try {
    const { url } = await deployment.server();
    const ana = deployment.api(url, TENANT);
    const made = await ana.post<{ secret: string }>('/keys', { name: 'bob', role: 'operator' });
    const bob = tenantApi(url, TENANT, made.body.secret);
    const found = async (): Promise<Investigation | undefined> => {
      const { body } = await ana.get<{ items: readonly Investigation[] }>('/investigations?agent=restock');
      const [one] = body.items;
      return one && (await ana.get<Investigation>(`/investigations/${one.id}`)).body;
    };
    const is = async (status: Investigation['status']) =>
      until(
        `the investigation to be ${status}`,
        async () => {
          const one = await found();
          return one?.status === status && one;
        },
        PATIENCE_MS,
      );

    let worker = await deployment.worker();
    const reading = erp.hold('get');
    await ana.post('/runs', { agent: 'restock', subject: 'business', config: { short: 'P-1' } });
    const letRead = await reading;
    await worker.kill();
    console.error('killed while it gathered evidence');
    await letRead();

    worker = await deployment.worker();
    const { id } = await is('proposed');
    await worker.kill();
    console.error('killed while it waited for its decision');

    worker = await deployment.worker();
    const writing = erp.hold('write');
    const answers = await Promise.all(
      [ana, bob].map(async (api) =>
        until('an answer', async () => {
          const answer = await api.post(`/investigations/${id}/approve`, { by: 'me' });
          return answer.status !== 503 && answer;
        }),
      ),
    );
    const letWrite = await writing;
    await worker.kill();
    console.error('killed in the middle of the write');
    await letWrite();

    worker = await deployment.worker();
    await until('the end', async () => (await found())?.endedAt != null, PATIENCE_MS);
    const ended = await found();
    // One whose answer was lost with the worker asks again, and is told of its own decision.
    const winner = ended?.decisions[0]?.actor ?? '';
    const second = answers[winner === 'bob/me' ? 0 : 1];
    const told = second?.body as { decision?: { actor: string } } | undefined;
    const all = await ana.get<{ items: readonly Json[] }>('/investigations?limit=200');
    const facts = {
      investigations: all.body.items.length,
      status: ended?.status,
      occurrences: ended?.occurrences,
      decisions: ended?.decisions.length,
      'the second was answered': second?.status,
      'and told who decided': told?.decision?.actor === winner,
      actions: ended?.results.map(({ step, state }) => `${step} ${state}`).join(', '),
      orders: (await erp.orders()).join(', '),
      'keys of writes': new Set(erp.keys).size,
    };
    const wanted: typeof facts = {
      ...{ investigations: 1, status: 'executed', occurrences: 1, decisions: 1, 'the second was answered': 409 },
      ...{ 'and told who decided': true, actions: 'order done', orders: 'open', 'keys of writes': 1 },
    };
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const table = { ...facts, 'calls of the ERP': erp.server.calls.length, seconds };
    console.log('| investigation | |\n|---|---|');
    for (const [name, value] of Object.entries(table)) console.log(`| ${name} | ${String(value)} |`);
    const isKept = JSON.stringify(facts) === JSON.stringify(wanted);
    if (!isKept) console.log(`\nBROKEN: expected ${JSON.stringify(wanted)}; reason: ${ended?.reason ?? ''}`);
    return isKept;
  } finally {
    await deployment.close();
    await erp.close();
  }
}
