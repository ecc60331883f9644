import assert from 'node:assert/strict';
import { testApi } from '../support/api.ts';

const hello = (id: string, more: object = {}) => ({
  id,
  type: 'message.inbound',
  subject: 'conversation/1',
  time: '2026-11-29T12:00:00Z',
  data: { content: { kind: 'text', text: 'Hi' } },
  ...more,
});

describe('telling events', () => {
  it('takes one, an array, or items; answers each in order', async () => {
    const api = testApi();
    assert.deepEqual((await api.send('POST', '/events', hello('a'))).body.items, [{ id: 'a', result: 'accepted' }]);
    assert.deepEqual(
      (await api.send('POST', '/events', [hello('a'), hello('b')])).body.items.map(({ result }) => result),
      ['duplicate', 'accepted'],
    );
    assert.deepEqual((await api.send('POST', '/events', { items: [hello('c')] })).body.items, [
      { id: 'c', result: 'accepted' },
    ]);
    assert.deepEqual((await api.send('POST', '/events', [])).body.items, []);
  });

  it('takes what a CloudEvent says besides, and the tenant it is posted for; one of another tenant fails alone', async () => {
    const api = testApi();
    const cloud = { specversion: '1.0', datacontenttype: 'application/json', source: 'crm' };
    const { body } = await api.send('POST', '/events', [
      hello('a', { ...cloud, tenant: 'demo' }),
      hello('b', { ...cloud, tenant: 'acme' }),
    ]);
    assert.deepEqual(
      body.items.map(({ result }) => result),
      ['accepted', 'rejected'],
    );
    const problem = body.items[1]?.['problem'] as { errors: object[] };
    assert.deepEqual(problem.errors, [
      { path: 'tenant', message: 'must be demo, for which it was posted, or left out' },
    ]);
  });

  it('a bad item fails alone, with its field named', async () => {
    const api = testApi();
    const bad: [unknown, string][] = [
      [hello('1', { subject: 'conversation/a/b' }), 'subject'],
      [hello('2', { time: 'now' }), 'time'],
      [hello('3', { time: '0000-01-01T00:00:00Z' }), 'time'],
      [hello('4', { subject: 'business' }), 'subject'],
      [hello('5', { type: 'message.sung' }), 'type'],
      [hello('6', { data: { content: { kind: 'text', text: 'a\u0000' } } }), 'data.content.text'],
      [hello('7', { data: { content: { kind: 'text', text: '\udc00' } } }), 'data.content.text'],
      [{ id: 8 }, 'type'],
      ['nine', ''],
    ];
    const { status, body } = await api.send('POST', '/events', [
      hello('good'),
      ...bad.map(([item]) => item),
      hello('fine'),
    ]);
    assert.equal(status, 200);
    assert.deepEqual(
      body.items.map(({ result }) => result),
      ['accepted', ...bad.map(() => 'rejected'), 'accepted'],
    );
    for (const [at, [, path]] of bad.entries()) {
      const problem = body.items[at + 1]?.['problem'] as { status: number; errors: { path: string }[] };
      assert.equal(problem.status, 422);
      assert.ok(
        problem.errors.some((error) => error.path === path),
        `${JSON.stringify(problem.errors)} names ${path}`,
      );
    }
    assert.deepEqual(
      api.accepted.map(({ event }) => event.id),
      ['good', 'fine'],
    );
  });

  it('a refusal is a plain sentence, and a type that is none names those there are', async () => {
    const api = testApi();
    const contact = { address: '1', timeZone: 'Mars/Olympus' };
    const cases: [object, string, RegExp][] = [
      [hello('1', { type: 'message.sung' }), 'type', /^must be one of message\.inbound, .*takeover, custom\.\*$/],
      [hello('2', { type: 'custom.UP' }), 'type', /^must be custom\. and a name/],
      [hello('3', { data: undefined }), 'data', /^is missing$/],
      [hello('4', { type: 'custom.x', data: undefined }), 'data', /^is missing$/],
      [hello('5', { data: { content: { kind: 'song' } } }), 'data.content.kind', /^must be one of text, media/],
      [hello('6', { subject: 'nobody' }), 'subject', /^must be "business"/],
      [hello('7', { colour: 'red' }), 'colour', /^is not a field/],
      [
        hello('8', { data: { contact, content: { kind: 'text', text: 'Hi' } } }),
        'data.contact.timeZone',
        /^must be an IANA/,
      ],
    ];
    const { body } = await api.send(
      'POST',
      '/events',
      cases.map(([item]) => item),
    );
    for (const [at, [, path, message]] of cases.entries()) {
      const { errors } = body.items[at]?.['problem'] as { errors: { path: string; message: string }[] };
      assert.equal(errors[0]?.path, path);
      assert.match(errors[0].message, message);
    }
  });

  it('refuses more than 500, what is no event at all, and what is nested without end', async () => {
    const api = testApi();
    const many = await api.send(
      'POST',
      '/events',
      Array.from({ length: 501 }, (_, at) => hello(`e${at}`)),
    );
    assert.deepEqual([many.status, many.body.errors[0]?.path, api.accepted.length], [422, 'items', 0]);
    assert.equal((await api.send('POST', '/events', '42')).status, 422);
    const bottomless = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const { status, body } = await api.send('POST', '/events', bottomless, { 'idempotency-key': 'a' });
    assert.deepEqual([status, body.errors[0]?.path], [422, 'body']);
  });

  it('puts a conversation of the demo tenant on the simulated channel, and one of another on none', async () => {
    const api = testApi();
    await api.send('POST', '/events', hello('a'));
    await api.send('POST', '/v1/tenants/acme/events', hello('b'));
    assert.deepEqual(
      api.accepted.map(({ channel }) => channel),
      ['simulated', null],
    );
    assert.deepEqual(
      api.accepted.map(({ event }) => (event.data as { contact?: object }).contact),
      [{ address: '1' }, undefined],
    );
  });
});

describe('dead letters', () => {
  const letter = { key: 'k1', id: 'e1', type: 'message.inbound', status: 'dead' };

  it('are redelivered or dropped by an operator', async () => {
    const api = testApi();
    api.desk.events.push(letter as never);
    assert.equal((await api.send('GET', '/events?status=dead')).body.items.length, 1);
    assert.equal((await api.send('POST', '/events/e1/redeliver')).status, 200);
    assert.equal((await api.send('POST', '/events/e1/drop')).status, 200);
    assert.equal((await api.send('POST', '/events/e1/drop')).body.code, 'event_not_found');
  });

  it('are dropped, what has been delivered is not', async () => {
    const api = testApi();
    for (const status of ['stored', 'delivered'])
      api.desk.events.push({ ...letter, key: status, id: status, status } as never);
    assert.equal((await api.send('POST', '/events/stored/drop')).status, 200);
    const { status, body } = await api.send('POST', '/events/delivered/drop');
    assert.deepEqual([status, body.code], [409, 'event_delivered']);
    assert.match(String(body['detail']), /only dead letters/);
    assert.equal(api.desk.events.length, 1);
  });
});
