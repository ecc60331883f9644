import assert from 'node:assert/strict';
import { parseTenantId } from '../../src/domain/ids.ts';
import { testApi, type TestApi } from '../support/api.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { aConversation, aRun } from '../support/facts.ts';

describe('acts on many runs, over HTTP', () => {
  let opened: TestDesk;
  let api: TestApi;
  before(async () => {
    opened = await openTestDesk();
    const { desk } = opened;
    // No Temporal: what is accepted waits for a worker, which is not the API's affair.
    api = testApi({ desk, fanOuts: { act: async (order) => desk.fanOuts.begin(order) } });
    const attachedAt = new Date(Date.now() - 60_000).toISOString();
    for (let n = 0; n < 3; n += 1)
      await desk.runs.insertIfAbsent(aRun(aConversation().subject, { tenant: parseTenantId('demo'), attachedAt }));
  });
  after(() => opened.close());

  it('counts and shows some with dryRun, and does nothing', async () => {
    const { status, body } = await api.send('POST', '/bulk', { action: 'detach', filter: {}, dryRun: true });
    assert.deepEqual([status, body['total'], (body['sample'] as unknown[]).length], [200, 3, 3]);
    assert.deepEqual((await api.send('GET', '/bulk')).body.items, []);
  });

  it('accepts an act once for one key, and shows its progress, receipt and end', async () => {
    const asked = { action: 'pause', filter: { agent: 'lead-qualification' }, by: 'ana', reason: 'maintenance' };
    const send = async () => api.send('POST', '/bulk', asked, { 'idempotency-key': 'k1' });
    const [first, second] = [await send(), await send()];
    assert.deepEqual([first.status, first.body['total'], first.body['actor']], [202, 3, 'local/ana']);
    assert.equal(second.body['id'], first.body['id']);
    const path = `/bulk/${String(first.body['id'])}`;
    const { body } = await api.send('GET', path);
    assert.deepEqual([body['state'], body['pending'], body['done']], ['running', 3, 0]);
    assert.deepEqual((await api.send('GET', `${path}/receipt`)).body.items, []);
    assert.equal((await api.send('POST', `${path}/cancel`)).body['state'], 'cancelled');
    assert.equal((await api.send('GET', '/bulk')).body.items.length, 1);
  });

  it('names what does not fit', async () => {
    for (const [body, path] of [
      [{ action: 'pause' }, 'filter'],
      [{ action: 'takeover', filter: {} }, 'action'],
      [{ action: 'snooze', filter: {} }, 'until'],
      [{ action: 'wake', filter: {}, for: '1h' }, 'for'],
      [{ action: 'wake', filter: { status: 'COMPLETED' } }, 'filter.status'],
      [{ action: 'pause', filter: {}, until: '2020-01-01T00:00:00Z' }, 'until'],
    ] as const) {
      const answer = await api.send('POST', '/bulk', body);
      assert.deepEqual([answer.status, answer.body.errors[0]?.path], [422, path], JSON.stringify(answer.body));
    }
    const missing = await api.send('GET', '/bulk/nothing');
    assert.deepEqual([missing.status, missing.body.code], [404, 'bulk_not_found']);
  });
});
