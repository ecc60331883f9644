import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { serve } from '@hono/node-server';
import { createApp } from '../../src/http/app.ts';
import { PROBLEMS, type ProblemCode } from '../../src/http/problems.ts';
import { REMEDIES } from '../../src/http/remedies.ts';
import { testApi } from '../support/api.ts';

describe('requests that cannot be read', () => {
  it('malformed JSON is 400, no JSON 415, too much 413', async () => {
    const api = testApi();
    const cases: [string, Record<string, string>, number, string][] = [
      ['{"agent":', {}, 400, 'malformed_json'],
      ['', {}, 400, 'malformed_json'],
      ['agent=x', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'unsupported_media_type'],
      [`"${'x'.repeat(1024 * 1024)}"`, {}, 413, 'too_large'],
      ['"text"', {}, 422, 'invalid'],
      ['null', {}, 422, 'invalid'],
      [
        `{"agent":"qualifier","subject":"conversation/1","config":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
        {},
        422,
        'invalid',
      ],
    ];
    for (const [body, headers, status, code] of cases) {
      const answer = await api.send('POST', '/runs', body, headers);
      assert.deepEqual([answer.status, answer.body.code], [status, code], body.slice(0, 30));
      assert.equal(answer.headers.get('content-type'), 'application/problem+json');
    }
    const bytes = await api.ask('/v1/tenants/demo/runs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Uint8Array([0x22, 0xff, 0x22]),
    });
    assert.equal(bytes.status, 400);
  });

  it('an unknown address is 404, a wrong method 405', async () => {
    const api = testApi();
    assert.equal((await api.send('GET', '/v1/tenants/demo/nothing')).body.code, 'no_such_route');
    assert.equal((await api.send('GET', '/v1/nothing')).body.code, 'no_such_route');
    assert.equal((await api.send('DELETE', '/runs')).body.code, 'method_not_allowed');
  });

  it('a path of a run that lacks its slot, or asks for what runs do not have, says so', async () => {
    const api = testApi();
    const cases: [string, string, RegExp][] = [
      ['GET', '/runs/conversation/42', /slot is missing: .*\/runs\/conversation\/42\/answering/],
      ['POST', '/runs/conversation/42/pause', /slot is missing: \/runs\/conversation\/42\/\{slot\}\/pause/],
      ['GET', '/runs/business', /slot is missing/],
      [
        'POST',
        '/runs/conversation/42/answering/stop',
        /stop is nothing a run has; POST takes detach, takeover, handback/,
      ],
      ['POST', '/runs/business/watcher/stop', /POST takes detach/],
    ];
    for (const [method, path, says] of cases) {
      const { status, body } = await api.send(method, path);
      assert.deepEqual([status, body.code], [404, 'no_such_route'], path);
      assert.match(String(body['detail']), says);
    }
    assert.equal((await api.send('DELETE', '/runs/conversation/42/answering')).status, 405);
  });

  it('a defect of ours is 500 with a number that the log has, and no stack trace', async () => {
    const api = testApi();
    api.desk.outage = new Error('a defect');
    const { status, body } = await api.send('GET', '/stats');
    assert.equal(status, 500);
    assert.match(api.logged[0] ?? '', new RegExp(String(body['detail']).replace('logged as ', '')));
    assert.doesNotMatch(JSON.stringify(body), /defect\b.*at |\.ts/);
  });

  it('a dot segment in the raw path is refused before routing takes it away', async () => {
    const server = serve({ fetch: createApp(testApi().deps).fetch, port: 0, hostname: '127.0.0.1' });
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const raw = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(
          'GET /v1/tenants/demo/runs/conversation/%2e%2e/answering HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
        ),
      );
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString()));
      socket.on('close', () => {
        resolve(text);
      });
    });
    server.close();
    assert.match(raw, /^HTTP\/1.1 422/);
    assert.match(raw, /"path":"subject"/);
  });
});

describe('who may ask', () => {
  const keys = [
    { name: 'eyes', role: 'viewer', tenant: 'acme', secret: 'see' },
    { name: 'crm', role: 'operator', tenant: 'acme', secret: 'do' },
    { name: 'root', role: 'admin', tenant: '*', secret: 'all' },
  ] as unknown as never[];
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

  it('nobody for a tenant that the configuration does not know', async () => {
    const api = testApi();
    const answer = await api.ask('/v1/tenants/nobody/runs');
    assert.equal(answer.status, 404);
    assert.equal(((await answer.json()) as { code: string }).code, 'tenant_not_found');
  });

  it('without keys only this machine, and no page of another site', async () => {
    const api = testApi();
    const allowed = [
      { host: 'localhost:8080' },
      { host: '127.0.0.1' },
      { host: '[::1]:8080' },
      { host: 'localhost:8080', origin: 'http://localhost:8080' },
    ];
    const refused = [
      { host: 'evil.example' },
      { host: 'localhost:8080', origin: 'https://evil.example' },
      { host: 'localhost', origin: 'null' },
      { host: 'localhost.evil.example' },
    ];
    for (const headers of allowed)
      assert.equal((await api.send('GET', '/stats', undefined, headers)).status, 200, JSON.stringify(headers));
    for (const headers of refused)
      assert.equal(
        (await api.send('GET', '/stats', undefined, headers)).body.code,
        'host_not_allowed',
        JSON.stringify(headers),
      );
  });

  it('with keys nobody without one, and each only its tenant and its role', async () => {
    const api = testApi({ keys });
    const stats = '/v1/tenants/acme/stats';
    assert.equal((await api.send('GET', stats)).status, 401);
    assert.equal((await api.send('GET', stats, undefined, bearer('wrong'))).status, 401);
    assert.equal((await api.send('GET', stats, undefined, bearer('see'))).status, 200);
    assert.equal((await api.send('GET', '/v1/tenants/demo/stats', undefined, bearer('see'))).status, 403);
    assert.equal((await api.send('GET', '/v1/tenants/demo/stats', undefined, bearer('all'))).status, 200);
    const attach = { agent: 'qualifier', subject: 'conversation/1' };
    assert.equal((await api.send('POST', '/v1/tenants/acme/runs', attach, bearer('see'))).status, 403);
    const attached = await api.send('POST', '/v1/tenants/acme/runs', { ...attach, by: 'ana' }, bearer('do'));
    assert.deepEqual([attached.status, attached.body['actor']], [201, 'crm/ana']);
    assert.equal((await api.send('PUT', '/v1/tenants/acme/switches/tenant/*', {}, bearer('do'))).status, 403);
  });
});

describe('the description of the API', () => {
  it('is OpenAPI 3.1 and names every route', async () => {
    const api = testApi();
    const document = (await (await api.ask('/openapi.json')).json()) as {
      openapi: string;
      paths: Record<string, object>;
    };
    assert.equal(document.openapi, '3.1.0');
    for (const path of [
      '/runs',
      '/runs/conversation/{conversation}/{slot}/detach',
      '/runs/business/{slot}',
      '/events',
      '/stats',
      '/stream',
    ])
      assert.ok(document.paths[`/v1/tenants/{tenant}${path}`], path);
    assert.doesNotMatch(JSON.stringify(document), /\$defs/);
  });

  it('and the guide agree on the problems', async () => {
    const guide = await readFile(new URL('../../docs/guide/problems.md', import.meta.url), 'utf8');
    const rows = [...guide.matchAll(/^\| `(\w+)`\s*\| (\d{3})\s*\| (.*?)\s*\|$/gm)].map(([, code, status, words]) => [
      code,
      Number(status),
      words,
    ]);
    assert.deepEqual(
      rows,
      Object.entries(PROBLEMS).map(([code, { status, title }]) => [
        code,
        status,
        `${title}. ${REMEDIES[code as ProblemCode]}`,
      ]),
    );
  });
});

describe('health', () => {
  it('is ready only with Temporal, the database and the search attributes', async () => {
    assert.equal((await testApi().ask('/readyz')).status, 200);
    const lacking = testApi({
      temporal: { ping: async () => undefined, missingSearchAttributes: async () => ['AttacheAgent'] },
    });
    const answer = await lacking.ask('/readyz');
    assert.equal(answer.status, 503);
    assert.match(await answer.text(), /AttacheAgent.*doctor --fix/);
    const away = testApi();
    away.desk.outage = new Error('connection refused');
    assert.equal((await away.ask('/readyz')).status, 503);
    assert.deepEqual(await (await away.ask('/healthz')).json(), { status: 'ok', version: '0.0.0' });
  });
});
