import assert from 'node:assert/strict';
import { testApi, type TestApi } from '../support/api.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';

describe('requests that come twice', () => {
  let opened: TestDesk;
  let api: TestApi;
  before(async () => {
    opened = await openTestDesk();
    api = testApi({ desk: opened.desk });
  });
  after(async () => opened.close());

  const attach = async (subject: string, key: string, tenant = 'demo') =>
    api.send('POST', `/v1/tenants/${tenant}/runs`, { agent: 'qualifier', subject }, { 'idempotency-key': key });

  it('with one idempotency key are executed once and answered alike, however many come at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, async () => attach('conversation/1', 'k1')));
    assert.deepEqual([...new Set(answers.map(({ status, body }) => `${status} ${String(body['id'])}`))].length, 1);
    assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
    assert.equal([...api.runs.chains.values()].flat().length, 1);
  });

  it('with the same key and another body are refused; another tenant’s key is another key', async () => {
    assert.equal((await attach('conversation/2', 'k2')).status, 201);
    assert.equal((await attach('conversation/3', 'k2')).body.code, 'idempotency_mismatch');
    assert.equal((await attach('conversation/3', 'k2', 'acme')).status, 201);
    assert.equal((await attach('conversation/4', 'a key')).body.errors[0]?.path, 'Idempotency-Key');
  });

  it('get the refusal again that they got, and are executed anew when nothing came of them', async () => {
    assert.equal((await attach('conversation/2', 'k5')).body.code, 'already_attached');
    const again = await attach('conversation/2', 'k5');
    assert.deepEqual([again.body.code, again.headers.get('idempotent-replayed')], ['already_attached', 'true']);
    api.runs.weather = 'unreachable';
    assert.equal((await attach('conversation/6', 'k6')).status, 503);
    api.runs.weather = 'fair';
    assert.equal((await attach('conversation/6', 'k6')).status, 201);
  });

  it('of a list or a run that is still so are answered 304', async () => {
    await attach('conversation/7', 'k7');
    for (const path of ['/runs', '/runs/conversation/7/answering', '/runs/counts']) {
      const first = await api.send('GET', path);
      const etag = first.headers.get('etag') ?? '';
      const same = await api.send('GET', path, undefined, { 'if-none-match': `"other", W/${etag}` });
      assert.equal(same.status, 304, path);
    }
    const etag = (await api.send('GET', '/runs')).headers.get('etag') ?? '';
    await attach('conversation/8', 'k8');
    assert.equal((await api.send('GET', '/runs', undefined, { 'if-none-match': etag })).status, 200);
  });
});
