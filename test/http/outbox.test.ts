import assert from 'node:assert/strict';
import { parseTenantId } from '../../src/domain/ids.ts';
import { testApi, type TestApi } from '../support/api.ts';
import { attache, serveApi, type Served } from '../support/cli.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { aConversation, aRun, at } from '../support/facts.ts';
import { anInvestigation } from '../support/investigation-parts.ts';

const DEMO = parseTenantId('demo');

describe('outgoing webhooks, seen from outside', () => {
  let store: TestDesk;
  let api: TestApi;
  let served: Served;
  before(async () => {
    store = await openTestDesk('PGlite', { subscribers: (tenant) => (tenant === DEMO ? ['crm'] : []) });
    api = testApi({
      desk: store.desk,
      webhookEndpoints: (tenant) =>
        tenant === DEMO ? [{ id: 'crm', url: 'https://user:pass@crm.example.com/hooks?key=secret' }] : [],
    });
    served = await serveApi(api.deps);
  });
  after(async () => {
    await served.close();
    await store.close();
  });
  const run = async (...args: string[]) => attache(args, { url: served.url });

  async function aFailedDelivery(gone = false) {
    await store.desk.runs.insertIfAbsent({ ...aRun(aConversation().subject), tenant: DEMO });
    const [first] = (await store.desk.outbox.list({ tenant: DEMO, limit: 1 })).items;
    assert.ok(first !== undefined);
    const attempt = { at: at('10:00:00'), durationMs: 30, status: gone ? 410 : 500, error: 'HTTP 500' };
    const of = { tenant: DEMO, id: first.id, round: 0, attempt };
    await store.desk.outbox.recordAttempt({ ...of, then: { state: gone ? 'held' : 'failed' } });
    return first.id;
  }

  it('are listed by what became of them, shown with every attempt, and sent once more', async () => {
    const id = await aFailedDelivery();
    const { body: failed } = await api.send('GET', '/deliveries?status=failed');
    assert.deepEqual(
      failed.items.map((one) => one['id']),
      [id],
    );
    const { body: shown } = await api.send('GET', `/deliveries/${id}`);
    assert.equal((shown['body'] as { id: string }).id, id);
    assert.deepEqual(shown['log'], [{ number: 1, at: at('10:00:00'), durationMs: 30, status: 500, error: 'HTTP 500' }]);
    assert.match((await run('deliveries', 'show', id.slice(0, 14))).out, new RegExp(`^id +${id}$`, 'm'));
    assert.equal((await run('deliveries', 'redeliver', id.slice(0, 7))).out, `${id}: pending\n`);
    assert.equal((await run('deliveries', 'redeliver', id.replace(/.$/, 'x'))).exit, 3);
    const { body: again } = await api.send('POST', `/deliveries/${id}/redeliver`);
    assert.equal(again['state'], 'pending');
  });

  it('belong to their tenant alone', async () => {
    const id = await aFailedDelivery();
    for (const [method, path] of [
      ['GET', `/deliveries/${id}`],
      ['POST', `/deliveries/${id}/redeliver`],
    ] as const) {
      const { status, body } = await api.send(method, `/v1/tenants/other${path}`);
      assert.deepEqual([status, body.code], [404, 'delivery_not_found']);
    }
    assert.deepEqual((await api.send('GET', '/v1/tenants/other/deliveries')).body.items, []);
    const { status, body } = await api.send('PUT', '/v1/tenants/other/webhook-endpoints/crm', { enabled: true });
    assert.deepEqual([status, body.code], [404, 'endpoint_not_found']);
    assert.equal((await api.send('GET', '/deliveries/nonsense')).status, 404);
  });

  it('show their endpoints without the secrets of the address, and can be switched on again', async () => {
    await aFailedDelivery(true);
    const { body: off } = await api.send('GET', '/webhook-endpoints/crm');
    assert.equal(off['url'], 'https://crm.example.com/hooks');
    assert.equal(off['enabled'], false);
    await store.desk.runs.insertIfAbsent({ ...aRun(aConversation().subject), tenant: DEMO });
    const { body: on } = await api.send('PUT', '/webhook-endpoints/crm', { enabled: true, redeliverHeld: true });
    assert.deepEqual([on['enabled'], on['redelivered']], [true, 2]);
  });

  it('show nobody what a signed link opens: it is for its person, through the endpoint', async () => {
    const view = { ...anInvestigation('inv-1'), tenant: DEMO };
    const links = [{ person: 'ana', url: 'https://attache.example.com/decide/secret' }];
    const tell = [{ type: 'investigation.proposed', key: '1', at: view.openedAt, links }] as const;
    await store.desk.investigations.record({ view, version: 1, tell, counted: [] });
    const [{ id } = assert.fail('nothing was told')] = (await store.desk.outbox.list({ tenant: DEMO, limit: 1 })).items;
    assert.match((await store.desk.outbox.get(DEMO, id))?.body ?? '', /decide\/secret/, 'the endpoint gets it');
    const { body } = await api.send('GET', `/deliveries/${id}`);
    assert.match(JSON.stringify(body), /"person":"ana"/);
    assert.doesNotMatch(JSON.stringify(body), /decide/);
  });

  it('can be handled from the command line', async () => {
    const id = await aFailedDelivery(true);
    assert.match((await run('deliveries', '--status', 'held')).out, new RegExp(`${id} +run.attached`));
    assert.match((await run('deliveries', 'show', id)).out, /1 +2026-11-30T10:00:00.000Z +30 ms +410/);
    assert.match((await run('deliveries', 'endpoints')).out, /crm .*off since .*by endpoint: answered 410 Gone/);
    assert.equal((await run('deliveries', 'switch-on', 'crm')).out, 'crm: on\n');
    assert.equal((await run('deliveries', 'redeliver', id)).out, `${id}: pending\n`);
    assert.equal((await run('deliveries', 'switch-off', 'crm')).out, 'crm: off\n');
    assert.deepEqual(
      [(await run('deliveries', 'show', 'x')).exit, (await run('deliveries', '--status', 'odd')).exit],
      [3, 2],
    );
  });
});
