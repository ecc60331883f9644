import assert from 'node:assert/strict';
import { testApi, type Answer, type TestApi } from '../support/api.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';

const CONFIGURED = [
  { name: 'root', role: 'admin', tenant: '*', secret: 'root-secret-of-16' },
  { name: 'crm', role: 'operator', tenant: 'demo', secret: 'crm-secret-of-16c' },
] as never[];
const ATTACH = { agent: 'qualifier', subject: 'conversation/42' };

describe('people and their keys', () => {
  let opened: TestDesk;
  let api: TestApi;
  before(async () => {
    opened = await openTestDesk();
    api = testApi({ desk: opened.desk, keys: CONFIGURED });
  });
  after(async () => opened.close());

  const bearer = (secret: unknown) => ({ authorization: `Bearer ${String(secret)}` });
  const asRoot = bearer('root-secret-of-16');
  const status = async (secret: unknown, path = '/stats') =>
    (await api.send('GET', path, undefined, bearer(secret))).status;

  async function makeKey(name: string, role: string, tenant = 'demo'): Promise<Answer> {
    const { status, body } = await api.send('POST', `/v1/tenants/${tenant}/keys`, { name, role, by: 'ana' }, asRoot);
    assert.equal(status, 201, JSON.stringify(body));
    return body;
  }

  it('a key is shown once, kept as a hash, and holds for its tenant and its role', async () => {
    const key = await makeKey('reader', 'viewer');
    assert.match(String(key['secret']), new RegExp(`^${String(key['prefix'])}_`));
    const listed = await api.send('GET', '/keys', undefined, asRoot);
    assert.deepEqual(
      listed.body.items.map(({ name, state, createdBy }) => [name, state, createdBy]),
      [['reader', 'active', 'root/ana']],
    );
    assert.doesNotMatch(JSON.stringify(listed.body), new RegExp(String(key['secret'])));
    assert.equal(await status(key['secret']), 200);
    assert.equal(await status(key['secret'], '/v1/tenants/acme/stats'), 403);
    assert.equal((await api.send('POST', '/runs', ATTACH, bearer(key['secret']))).status, 403);
    assert.equal(await status(`${String(key['secret']).slice(0, -1)}_`), 401);
    assert.equal(
      (await api.send('POST', '/keys', { name: 'reader', role: 'viewer' }, asRoot)).body.code,
      'key_name_taken',
    );
    assert.equal(
      (await api.send('POST', '/keys', { name: 'crm', role: 'viewer' }, asRoot)).body.code,
      'key_name_taken',
    );
    assert.equal((await api.send('GET', '/keys', undefined, bearer('crm-secret-of-16c'))).status, 403);
  });

  it('a rotated key holds beside the new one until the overlap is over; a revoked one no longer', async () => {
    const old = await makeKey('robot', 'operator');
    const rotate = `/keys/${String(old['id'])}/rotate`;
    const { body: next } = await api.send('POST', rotate, { overlap: '1h' }, asRoot);
    assert.deepEqual([await status(old['secret']), await status(next['secret'])], [200, 200]);
    assert.equal((next['replaces'] as Answer)['state'], 'rotated');
    assert.equal((await api.send('POST', rotate, {}, asRoot)).body.code, 'key_not_found', 'rotated once');
    const { body: last } = await api.send('POST', `/keys/${String(next['id'])}/rotate`, { overlap: '0s' }, asRoot);
    assert.deepEqual([await status(next['secret']), await status(last['secret'])], [401, 200]);
    const revoke = `/keys/${String(last['id'])}/revoke`;
    for (const again of ['revoked', 'revoked'])
      assert.equal((await api.send('POST', revoke, undefined, asRoot)).body['state'], again);
    assert.equal(await status(last['secret']), 401);
    assert.equal(
      (await api.send('POST', `/v1/tenants/acme/keys/${String(last['id'])}/revoke`, {}, asRoot)).status,
      404,
    );
  });

  it('what a key let into a CRM’s page goes out with it', async () => {
    const key = await makeKey('panels', 'operator');
    const asked = { conversation: '42', origin: 'https://crm.example' };
    const { body } = await api.send('POST', '/embed-tokens', asked, bearer(key['secret']));
    const messages = '/conversations/42/messages';
    const shown = await status(body['token'], messages);
    await api.send('POST', `/keys/${String(key['id'])}/revoke`, undefined, asRoot);
    assert.deepEqual([shown, await status(body['token'], messages)], [404, 401]);
  });

  describe('a session', () => {
    const page = { origin: 'http://localhost', host: 'localhost' };
    const signIn = async (key: unknown, headers = {}) =>
      api.send('POST', '/v1/session', { key, by: 'Bea' }, { ...page, ...headers });
    const cookieOf = (headers: Headers) => headers.get('set-cookie')?.split(';')[0] ?? '';

    it('stands for the key and the person, and comes from pages of this server alone', async () => {
      const { secret } = await makeKey('desk', 'operator');
      const begun = await signIn(secret, { 'x-forwarded-proto': 'https' });
      assert.equal(begun.status, 201);
      const set = begun.headers.get('set-cookie') ?? '';
      for (const wanted of ['HttpOnly', 'SameSite=Strict', 'Secure', 'Path=/']) assert.ok(set.includes(wanted), wanted);
      const cookie = cookieOf(begun.headers);
      const { body: session } = await api.send('GET', '/v1/session', undefined, { cookie });
      assert.deepEqual(
        [session['actor'], session['role'], session['tenants'], session['signInNeeded']],
        ['desk/Bea', 'operator', [{ id: 'demo', name: 'demo', timeZone: 'UTC' }], true],
      );
      for (const [headers, expected] of [
        [{}, 403],
        [{ host: 'localhost', origin: 'https://evil.example' }, 403],
        [{ 'sec-fetch-site': 'cross-site', ...page }, 403],
        [{ 'sec-fetch-site': 'same-origin' }, 201],
      ] as const) {
        const answer = await api.send('POST', '/runs', { ...ATTACH, by: 'somebody else' }, { cookie, ...headers });
        assert.equal(answer.status, expected, JSON.stringify([headers, answer.body]));
        if (expected === 201) assert.equal(answer.body['actor'], 'desk/Bea');
        else assert.equal(answer.body.code, 'foreign_origin');
      }
      assert.equal((await api.send('DELETE', '/v1/session', undefined, { cookie, ...page })).status, 204);
      assert.equal((await api.send('GET', '/v1/session', undefined, { cookie })).status, 401);
    });

    it('ends with its key', async () => {
      const { secret, id } = await makeKey('leaver', 'viewer');
      const cookie = cookieOf((await signIn(secret)).headers);
      assert.equal((await api.send('GET', '/stats', undefined, { cookie })).status, 200);
      await api.send('POST', `/keys/${String(id)}/revoke`, {}, asRoot);
      assert.equal((await api.send('GET', '/stats', undefined, { cookie })).status, 401);
    });

    it('opened with a key of the configuration ends when its secret is changed', async () => {
      const cookie = cookieOf((await signIn('crm-secret-of-16c')).headers);
      assert.equal((await api.send('GET', '/stats', undefined, { cookie })).status, 200);
      const changed = [{ name: 'crm', role: 'operator', tenant: 'demo', secret: 'another-secret-16' }] as never[];
      const after = testApi({ desk: opened.desk, keys: changed });
      assert.equal((await after.send('GET', '/stats', undefined, { cookie })).status, 401);
    });

    it('is not opened with a key that is none', async () => {
      assert.equal((await signIn('att_0000000000000000_none')).body.code, 'unauthenticated');
    });
  });

  it('whoever is at this machine needs none while there are no keys', async () => {
    const { body } = await testApi({ desk: opened.desk }).send('GET', '/v1/session', undefined, { host: 'localhost' });
    assert.deepEqual([body['actor'], body['role'], body['signInNeeded']], ['local', 'admin', false]);
  });

  it('every act is on record with who asked, why and what was answered, a refused one too', async () => {
    const crm = bearer('crm-secret-of-16c');
    const target = 'conversation/audited/answering';
    const subject = 'conversation/audited';
    await api.send('POST', '/runs', { ...ATTACH, subject, by: 'eva', reason: 'new lead' }, crm);
    await api.send('POST', '/runs', { ...ATTACH, subject }, crm);
    await api.send('POST', `/runs/${target}/detach`, { by: 'eva', reason: 'sold' }, crm);
    const { body } = await api.send('GET', `/audit?target=${subject}`, undefined, crm);
    assert.deepEqual(
      body.items.map(({ act, target, actor, reason, status }) => [act, target, actor, reason, status]),
      [
        ['runs.detach', target, 'crm/eva', 'sold', 200],
        ['runs.attach', `${subject}/answering`, 'crm', null, 409],
        ['runs.attach', `${subject}/answering`, 'crm/eva', 'new lead', 201],
      ],
    );
    const acts = (await api.send('GET', '/audit?act=keys.create&limit=2', undefined, crm)).body;
    assert.ok(acts.items.every(({ target }) => target !== ''));
    const rest = (await api.send('GET', `/audit?act=keys.create&cursor=${String(acts['nextCursor'])}`, undefined, crm))
      .body;
    assert.ok(acts.items.length === 2 && rest.items.length > 0);
    assert.equal(
      (await api.send('GET', '/v1/tenants/acme/audit?act=runs.detach', undefined, asRoot)).body.items.length,
      0,
    );
  });
});
