import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROBLEMS } from '../../src/http/problems.ts';
import { testApi } from '../support/api.ts';

const PAGE = { accept: 'text/html' };

describe('the pages of the server', () => {
  const root = mkdtempSync(join(tmpdir(), 'attache-console-'));
  const folder = join(root, 'console');
  before(() => {
    mkdirSync(join(folder, 'assets'), { recursive: true });
    writeFileSync(join(folder, 'index.html'), '<title>the console</title>');
    writeFileSync(join(folder, 'assets', 'index-abc.js'), 'run()');
    writeFileSync(join(root, 'secret.txt'), 'nobody’s business');
  });
  after(() => rmSync(root, { recursive: true }));

  it('are the console for every address of its own, and never for one of the API', async () => {
    const api = testApi({ console: { folder } });
    for (const path of ['/', '/t/demo/runs', '/t/demo/runs/conversation/a.b/answering']) {
      const page = await api.ask(path, { headers: PAGE });
      assert.match(await page.text(), /the console/, path);
      assert.equal(page.headers.get('cache-control'), 'no-cache');
      const policy = page.headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'; script-src 'self';.*frame-ancestors 'none'/);
      const etag = page.headers.get('etag') ?? '';
      assert.equal((await api.ask(path, { headers: { ...PAGE, 'if-none-match': etag } })).status, 304);
    }
    assert.match(await (await api.ask('/', { headers: { accept: '*/*' } })).text(), /the console/);
    for (const path of ['/v1/nothing', '/webhooks/nothing', '/docs/nothing', '/assets/gone.js', '/t/demo/runs?no-page'])
      assert.equal((await api.ask(path, path.endsWith('no-page') ? {} : { headers: PAGE })).status, 404, path);
    const asset = await api.ask('/assets/index-abc.js');
    assert.deepEqual(
      [asset.headers.get('content-type'), asset.headers.get('cache-control')],
      ['text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    );
    for (const path of ['/..%2fsecret.txt', '/assets/..%2f..%2fsecret.txt', '/%00'])
      assert.doesNotMatch(await (await api.ask(path)).text(), /nobody’s business/, path);
  });

  it('come as small as who asks takes them, and each form under a tag of its own', async () => {
    const api = testApi({ console: { folder } });
    writeFileSync(join(folder, 'assets', 'index-abc.js.gz'), 'small');
    writeFileSync(join(folder, 'assets', 'index-abc.js.br'), 'smaller');
    const tags = new Set<string | null>();
    for (const [accepted, encoding, text] of [
      ['gzip, deflate, br;q=0.5', 'br', 'smaller'],
      ['gzip;q=1.0, br;q=0', 'gzip', 'small'],
      ['identity', null, 'run()'],
    ] as const) {
      const asset = await api.ask('/assets/index-abc.js', { headers: { 'accept-encoding': accepted } });
      assert.deepEqual([asset.headers.get('content-encoding'), await asset.text()], [encoding, text], accepted);
      assert.equal(asset.headers.get('content-type'), 'text/javascript; charset=utf-8');
      assert.equal(asset.headers.get('vary'), 'accept-encoding');
      tags.add(asset.headers.get('etag'));
    }
    assert.equal(tags.size, 3);
    assert.equal((await api.ask('/assets/index-abc.js.br')).status, 404);
  });

  it('say how to build the console where nobody has', async () => {
    const page = await testApi().ask('/', { headers: PAGE });
    assert.match(await page.text(), /npm run build/);
  });

  it('describe the API and each of its problems, which is where a problem’s type leads', async () => {
    const api = testApi();
    const reference = await (await api.ask('/docs/api')).text();
    for (const words of ['/v1/tenants/{tenant}/runs/counts', '/v1/session', 'role admin', 'If-None-Match'])
      assert.ok(reference.includes(words), words);
    assert.doesNotMatch(reference, /<script|https?:\/\/(?!json-schema)/);
    for (const code of Object.keys(PROBLEMS)) {
      const page = await api.ask(`/docs/problems/${code}`);
      assert.ok(page.status === 200 && (await page.text()).includes(code), code);
    }
    const { body } = await api.send('GET', '/runs/conversation/none/answering');
    assert.equal((await api.ask(String(body['type']))).status, 200);
  });
});

describe('a conversation in a CRM’s page', () => {
  const keys = [{ name: 'crm', role: 'operator', tenant: 'demo', secret: 'crm-secret-of-16c' }] as never[];
  const key = { authorization: 'Bearer crm-secret-of-16c' };
  const make = async (body: object) => {
    const api = testApi({ keys });
    api.desk.messages.push({ conversation: '42' } as never, { conversation: '43' } as never);
    const attach = { agent: 'qualifier', subject: 'conversation/42' };
    assert.equal((await api.send('POST', '/runs', attach, key)).status, 201);
    const answer = await api.send(
      'POST',
      '/embed-tokens',
      { conversation: '42', origin: 'https://crm.example', ...body },
      key,
    );
    return { api, answer, bearer: { authorization: `Bearer ${String(answer.body['token'])}` } };
  };

  it('is framed by that CRM alone, and by the holder of its token', async () => {
    const { api, answer } = await make({});
    const page = await api.ask(String(answer.body['url']), { headers: PAGE });
    assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors https:\/\/crm\.example$/);
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
    for (const url of [
      String(answer.body['url']).replace('/42?', '/43?'),
      '/embed/conversations/42',
      `${String(answer.body['url'])}x`,
    ])
      assert.equal((await api.ask(url, { headers: PAGE })).status, 401, url);
  });

  it('shows that conversation and does what is allowed there, and nothing else', async () => {
    const { api, bearer } = await make({ allowedActs: ['takeover'], by: 'bea' });
    const status = async (method: string, path: string) => (await api.send(method, path, undefined, bearer)).status;
    assert.equal(await status('GET', '/conversations/42/messages'), 200);
    assert.equal(await status('GET', '/runs/conversation/42/answering'), 200);
    assert.equal(await status('GET', '/conversations/43/messages'), 403);
    assert.equal(await status('GET', '/v1/tenants/acme/conversations/42/messages'), 403);
    for (const path of ['/runs', '/runs/counts', '/stats', '/events', '/audit', '/switches'])
      assert.equal(await status('GET', path), 403, path);
    assert.equal(await status('POST', '/runs/conversation/42/answering/detach'), 403);
    const taken = await api.send('POST', '/runs/conversation/42/answering/takeover', {}, bearer);
    assert.deepEqual([taken.status, taken.body['actor']], [200, 'crm/bea']);
    assert.equal((await api.send('POST', '/embed-tokens', { conversation: '42' }, bearer)).status, 403);
    const { body: session } = await api.send('GET', '/v1/session', undefined, bearer);
    assert.deepEqual((session['panel'] as Record<string, unknown>)['conversation'], '42');
  });

  it('is not to be had with a token that was changed, or for an origin that is none', async () => {
    const { api, answer } = await make({});
    const [prefix, body, signature] = String(answer.body['token']).split('.');
    const claims = JSON.parse(Buffer.from(body ?? '', 'base64url').toString()) as object;
    const forged = Buffer.from(JSON.stringify({ ...claims, conversation: '43' })).toString('base64url');
    const bearer = { authorization: `Bearer ${prefix}.${forged}.${signature}` };
    assert.equal((await api.send('GET', '/conversations/43/messages', undefined, bearer)).status, 401);
    for (const [field, value] of [
      ['origin', 'https://crm.example/page'],
      ['origin', 'http://crm.example'],
      ['origin', 'https://*.example'],
      ['origin', 'https://crm;sandbox'],
      ['ttl', '13h'],
    ])
      assert.equal((await make({ [field as string]: value })).answer.body.errors[0]?.path, field);
    assert.equal((await make({ origin: undefined })).answer.body.errors[0]?.path, 'origin');
  });
});
