/** Whatever is thrown at a real `attache dev`: a problem that says what to do, never a 500, and nothing stored half. */
import assert from 'node:assert/strict';
import { tenantApi, type Answer, type Json } from '../support/tenant-api.ts';

interface Problem extends Json {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

const MIB = 1024 * 1024;
const LONE = '\ud800';
/** Ids outside the grammar of `domain/ids.ts`, as they would be typed into a path or a body. */
const BAD_IDS: Readonly<Record<string, string>> = {
  'an emoji': '🙂',
  '300 characters': 'x'.repeat(300),
  NUL: 'a\u0000b',
  'a lone surrogate': `a${LONE}`,
  'dots alone': '..',
  'a slash': 'a/b',
  'a slash that was encoded': 'a%2Fb',
  'a space': 'a b',
  nothing: '',
};

/** The tenant these tests have to themselves on the server of {@link import('./runs.test.ts')}. */
export const STRICT = {
  channels: [{ kind: 'simulated' }, { kind: 'generic', webhookSecret: `whsec_${'A'.repeat(40)}` }],
} as const;

/** Tests; the server serves by the time they run. */
export function badInput(url: () => string): void {
  const api = tenantApi(url, 'strict');

  /** A 4xx problem of RFC 9457 that explains itself. */
  function assertRefused(what: string, answer: Answer, status?: number): Problem {
    const problem = answer.body as Problem;
    assert.ok(answer.status >= 400 && answer.status < 500, `${what}: ${answer.status} ${JSON.stringify(problem)}`);
    if (status !== undefined) assert.equal(answer.status, status, `${what}: ${JSON.stringify(problem)}`);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/, what);
    assert.equal(problem.status, answer.status, what);
    assert.ok(problem.code !== '' && problem.detail !== '', what);
    assert.doesNotMatch(JSON.stringify(problem), /node_modules|\.ts:\d|select .* from/i, `${what}: no innards`);
    return problem;
  }

  async function stored(): Promise<Json> {
    const [runs, events, stats] = await Promise.all([api.get('/runs'), api.get('/events'), api.get('/stats')]);
    return { runs: runs.body, events: events.body, stats: stats.body };
  }

  it('is refused as malformed, as no JSON, as too large, each by its own status', async () => {
    for (const path of ['/runs', '/events', '/runs/conversation/1/answering/detach']) {
      for (const body of ['{', '[1,', 'nope', '\u0000', '{"a":1}}', new Uint8Array([0x22, 0xff, 0xfe, 0x22])])
        assertRefused(`${path} ${String(body)}`, await api.postRaw(path, body), 400);
      assertRefused(path, await api.postRaw(path, 'a=1', { 'content-type': 'text/plain' }), 415);
      const huge = JSON.stringify({ agent: 'x'.repeat(5 * MIB) });
      assertRefused(`${path} with 5 MB`, await api.postRaw(path, huge), 413);
    }
  });

  it('is refused by the field it stands in, when it is no run to attach', async () => {
    const good = { agent: 'lead-qualification', subject: 'conversation/1' };
    const cases: readonly [string, unknown][] = [
      ['agent', { ...good, agent: 7 }],
      ['agent', { ...good, agent: 'no-such-agent' }],
      ['agent', { subject: good.subject }],
      ['subject', { ...good, subject: 'contact/1' }],
      ['subject', { ...good, subject: ['conversation/1'] }],
      ['subject', { ...good, subject: 'business' }],
      ['slot', { ...good, slot: 'Nicht So' }],
      ['firstRunAt', { ...good, firstRunAt: 'tomorrow' }],
      ['firstRunAt', { ...good, firstRunAt: '2999-01-01T00:00:00Z' }],
      ['config.questions', { ...good, config: { questions: 'none' } }],
      ['config.surprise', { ...good, config: { surprise: 1 } }],
      ['surprise', { ...good, surprise: true }],
      ['reason', { ...good, reason: 'x'.repeat(5_000) }],
      ['by', { ...good, by: `a${LONE}` }],
      ['reason', { ...good, reason: 'a\u0000b' }],
    ];
    const before = await stored();
    for (const [path, body] of cases) {
      const { errors } = assertRefused(JSON.stringify(body).slice(0, 200), await api.post('/runs', body), 422);
      assert.ok(
        errors.some((error) => error.path === path && error.message !== ''),
        `${path} is not named in ${JSON.stringify(errors)}`,
      );
    }
    for (const body of [null, 7, 'text', [], [good]])
      assertRefused(JSON.stringify(body), await api.post('/runs', body), 422);
    assert.deepEqual(await stored(), before);
  });

  it('is refused wherever an id stands, in paths, bodies and queries', async () => {
    const before = await stored();
    for (const [what, id] of Object.entries(BAD_IDS)) {
      const subject = `conversation/${id}`;
      assertRefused(`attach to ${what}`, await api.post('/runs', { agent: 'lead-qualification', subject }), 422);
      const { body } = await api.post<{ items: { result: string }[] }>('/events', { ...EVENT, subject });
      assert.equal(body.items[0]?.result, 'rejected', `event on ${what}`);
      if (id === '' || id === '..') continue;
      const inPath = what.includes('encoded') ? id : encodeURIComponent(id.replace(LONE, '\ufffd'));
      assertRefused(`path with ${what}`, await api.get(`/runs/conversation/${inPath}/answering`));
      assertRefused(`act on ${what}`, await api.post(`/runs/conversation/${inPath}/answering/detach`));
      assertRefused(`messages of ${what}`, await api.get(`/conversations/${inPath}/messages`));
      assertRefused(`list of ${what}`, await api.get(`/runs?subject=conversation/${inPath}`), 422);
      assertRefused(`tenant ${what}`, await tenantApi(url(), inPath).get('/runs'));
    }
    for (const path of [
      '/runs/conversation/%/answering',
      '/runs/conversation/%ff/answering',
      '/runs/conversation/1/%00',
    ])
      assertRefused(path, await api.get(path));
    for (const query of [
      'limit=0',
      'limit=1e9',
      'limit=x',
      'cursor=x',
      'cursor=%00',
      'status=DONE',
      'dueWithin=soon',
      'a=1',
    ])
      assertRefused(query, await api.get(`/runs?${query}`), 422);
    assert.deepEqual(await stored(), before);
  });

  it('is rejected item by item in a batch of events, and the good ones are stored once', async () => {
    const text = (value: unknown) => ({ content: { kind: 'text', text: value } });
    const items: readonly unknown[] = [
      { ...EVENT, id: 'good-1' },
      { ...EVENT, id: 'bad-time', time: 'yesterday' },
      { ...EVENT, id: 'bad-data', data: text(5) },
      { ...EVENT, id: 'nul', data: text('a\u0000b') },
      { ...EVENT, id: 'lone', data: text(`half ${LONE}`) },
      { ...EVENT, id: `id${LONE}` },
      { ...EVENT, id: '' },
      { ...EVENT, id: 'x'.repeat(600) },
      { ...EVENT, id: 'unknown-type', type: 'message.teleported' },
      { ...EVENT, id: 'proto', data: JSON.parse('{"__proto__":{"a":1}}') as unknown },
      null,
      [],
      'text',
      { ...EVENT, id: 'good-2', data: text('🙂 ﷽ \u202e') },
      { ...EVENT, id: 'good-1' },
    ];
    const { status, body } = await api.post<{ items: { id: string | null; result: string; problem?: Problem }[] }>(
      '/events',
      items,
    );
    assert.equal(status, 200);
    const results = body.items.map(({ result }) => result);
    const expected = ['accepted', ...Array.from({ length: 12 }, () => 'rejected'), 'accepted', 'duplicate'];
    assert.deepEqual(results, expected);
    for (const { result, problem } of body.items) if (result === 'rejected') assert.equal(problem?.status, 422);
    const { body: kept } = await api.get<{ items: { id: string }[] }>('/events?subject=conversation/bad');
    assert.deepEqual(kept.items.map(({ id }) => id).sort(), ['good-1', 'good-2']);
    assert.equal((await api.messages('bad')).length, 2);
  });

  it('is refused when it is no act, and changes nothing of the run', async () => {
    const firstRunAt = new Date(Date.now() + 86_400_000).toISOString();
    await api.attach('steady', { firstRunAt });
    const before = await api.runWhen('steady', 'asleep', ({ agentVersion }) => agentVersion !== null);
    for (const body of [
      { until: 'soon' },
      { for: '-1h' },
      { for: '9000d' },
      {},
      { for: '1h', until: firstRunAt },
      { for: 5 },
    ])
      assertRefused(`snooze ${JSON.stringify(body)}`, await api.act('steady', 'snooze', body), 422);
    for (const body of [{ id: 5 }, { by: ['x'] }, { reason: { a: 1 } }, { surprise: 1 }, { by: 'x'.repeat(500) }])
      for (const act of ['detach', 'takeover', 'pause', 'resume', 'wake'] as const)
        assertRefused(`${act} ${JSON.stringify(body)}`, await api.act('steady', act, body), 422);
    assert.deepEqual(await api.run('steady'), before);
  });

  it('is refused at addresses and with methods that do not exist', async () => {
    for (const path of ['/', '/nope', '/runs/', '/runs/conversation/1', '/runs/conversation/1/answering/explode'])
      assertRefused(path, await api.post(path));
    const response = await fetch(`${url()}/v1/tenants/strict/runs`, { method: 'DELETE' });
    assert.equal(response.status, 405);
    const foreign = await fetch(`${url()}/v1/tenants/strict/runs`, { headers: { origin: 'https://evil.example' } });
    assert.equal(foreign.status, 403);
  });

  it('is refused at the webhooks of channels that are not there or signed by nobody', async () => {
    for (const path of [
      'whatsapp/strict',
      'chatwoot/strict',
      'generic/strict',
      'generic/nobody',
      'generic/..%2f',
      'x/strict',
    ]) {
      const response = await fetch(`${url()}/webhooks/${path}`, { method: 'POST', body: '{"a":' });
      assert.ok(response.status >= 400 && response.status < 500, `${path}: ${response.status}`);
      const large = await fetch(`${url()}/webhooks/${path}`, { method: 'POST', body: 'x'.repeat(5 * MIB) });
      assert.ok(large.status >= 400 && large.status < 500, `${path}: ${large.status}`);
    }
  });
}

const EVENT = {
  id: 'event',
  source: 'test',
  type: 'message.inbound',
  time: '2026-11-01T00:00:00Z',
  subject: 'conversation/bad',
  data: { content: { kind: 'text', text: 'Hi' } },
};
