import assert from 'node:assert/strict';
import { NamespaceNotFoundError } from '@temporalio/common';
import { TemporalUnavailableError } from '../../src/client.ts';
import { knownProblem } from '../../src/http/faults.ts';
import { testApi } from '../support/api.ts';

const ATTACH = { agent: 'qualifier', subject: 'conversation/42' };
const RUN = '/runs/conversation/42/answering';

describe('attaching', () => {
  it('answers 201 with the run, and tells the desk', async () => {
    const api = testApi();
    const { status, body } = await api.send('POST', '/runs', { ...ATTACH, by: 'ana', reason: 'hot lead' });
    assert.equal(status, 201);
    assert.equal(body['status'], 'IN_PROGRESS');
    assert.equal(body['workflowId'], 'run/demo/conversation/42/answering');
    assert.equal(body['actor'], 'local/ana');
    assert.equal(api.desk.runs[0]?.id, body['id']);
    assert.deepEqual(
      api.desk.acts.map(({ act, actor, comment }) => ({ act, actor, comment })),
      [{ act: 'attach', actor: 'local/ana', comment: 'hot lead' }],
    );
  });

  it('shows what holds a run up, in itself and in the list, where it counts as late', async () => {
    const api = testApi();
    await api.send('POST', '/runs', ATTACH);
    const [run] = api.desk.runs;
    assert.ok(run);
    api.desk.runs.splice(0, 1, { ...run, heldUp: 'nobody knows it' });
    const { body } = await api.send('GET', RUN);
    const step = (body['nextRunSteps'] as { rule: string; params: object }[]).at(-1);
    assert.deepEqual([step?.rule, step?.params], ['held_up', { message: 'nobody knows it' }]);
    const [line] = (await api.send('GET', '/runs')).body.items;
    assert.deepEqual([line?.['trouble'], line?.['heldUp']], ['overdue', 'nobody knows it']);
  });

  it('says so where nobody is there to be written to, and where a kill switch will end the run', async () => {
    const api = testApi();
    const warned = (await api.send('POST', '/runs', ATTACH)).body['warning'];
    assert.match(String(warned), /nobody is known in conversation\/42 yet/);
    api.desk.messages.push({ conversation: '44' } as never);
    assert.equal((await api.send('POST', '/runs', { ...ATTACH, subject: 'conversation/44' })).body['warning'], null);
    await api.send('PUT', '/switches/agent/qualifier', { by: 'ana' });
    const { status, body } = await api.send('POST', '/runs', { ...ATTACH, subject: 'conversation/43' });
    assert.equal(status, 201);
    assert.match(String(body['warning']), /agent\/qualifier is switched off by local\/ana/);
  });

  it('answers 409 with the existing run when one is attached, whoever wins of twenty', async () => {
    const api = testApi();
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.send('POST', '/runs', ATTACH)));
    const winners = answers.filter(({ status }) => status === 201);
    const losers = answers.filter(({ status }) => status === 409);
    assert.deepEqual([winners.length, losers.length], [1, 19]);
    for (const { body } of losers) {
      assert.equal(body.code, 'already_attached');
      const { id, actor } = body['run'] as { id: string; actor: string };
      assert.deepEqual([id, actor], [winners[0]?.body['id'], winners[0]?.body['actor']]);
    }
  });

  it('waits for a run that is still ending, then says 503', async () => {
    const api = testApi();
    await api.send('POST', '/runs', ATTACH);
    const [run] = api.runs.chains.get('demo/conversation/42/answering') ?? [];
    api.runs.chains.set('demo/conversation/42/answering', [{ ...run, phase: 'ending' } as never]);
    const { status, body, headers } = await api.send('POST', '/runs', ATTACH);
    assert.deepEqual([status, body.code], [503, 'still_ending']);
    assert.ok(headers.get('retry-after'));
  });

  it('names what is wrong, and stores nothing', async () => {
    const cases: [object, string][] = [
      [{ ...ATTACH, agent: 'nobody' }, 'agent'],
      [{ ...ATTACH, agent: 'No Such' }, 'agent'],
      [{ ...ATTACH, subject: 'business' }, 'subject'],
      [{ agent: 'watcher', subject: 'conversation/42' }, 'subject'],
      [{ agent: 'bookkeeper', subject: 'business' }, 'agent'],
      [{ ...ATTACH, subject: 'conversation/../x' }, 'subject'],
      [{ ...ATTACH, subject: `conversation/${'x'.repeat(300)}` }, 'subject'],
      [{ ...ATTACH, subject: 'conversation/😀' }, 'subject'],
      [{ ...ATTACH, slot: 'other' }, 'slot'],
      [{ agent: 'watcher', subject: 'business', slot: 'answering' }, 'slot'],
      [{ ...ATTACH, firstRunAt: 'tomorrow' }, 'firstRunAt'],
      [{ ...ATTACH, firstRunAt: '2999-01-01T00:00:00Z' }, 'firstRunAt'],
      [{ ...ATTACH, config: { questions: [{ text: 1 }] } }, 'config.questions.0.text'],
      [{ ...ATTACH, config: { more: 1 } }, 'config.more'],
      [{ ...ATTACH, config: { questions: [{ text: 'a\u0000b' }] } }, 'config.questions.0.text'],
      [{ ...ATTACH, reason: '\ud800' }, 'reason'],
      [{ ...ATTACH, extra: true }, 'extra'],
      [{ agent: 'qualifier' }, 'subject'],
    ];
    const api = testApi();
    for (const [body, path] of cases) {
      const answer = await api.send('POST', '/runs', body);
      assert.equal(answer.status, 422, JSON.stringify(body).slice(0, 100));
      assert.deepEqual(
        answer.body.errors.map((error) => error.path),
        [path],
      );
    }
    assert.equal(api.desk.runs.length + api.runs.chains.size, 0);
  });

  for (const [code, how] of [
    ['ECONNREFUSED', 'away'],
    ['55000', 'closed for maintenance'],
    ['25006', 'a replica that only reads'],
  ] as const)
    it(`starts nothing while the database is ${how}`, async () => {
      const api = testApi();
      api.desk.outage = Object.assign(new Error('the database says no'), { code });
      const { status, body } = await api.send('POST', '/runs', ATTACH);
      assert.deepEqual([status, body.code, api.runs.chains.size], [503, 'database_unreachable', 0]);
    });

  it('says 503 while Temporal is away, and what it says where it refuses', async () => {
    const api = testApi();
    api.runs.weather = 'unreachable';
    const { status, body } = await api.send('POST', '/runs', ATTACH);
    assert.deepEqual([status, body.code], [503, 'temporal_unreachable']);
    assert.match(String(body['detail']), /check TEMPORAL_ADDRESS/);
    const refused = knownProblem(new TemporalUnavailableError(new NamespaceNotFoundError('acme')));
    assert.equal(refused?.message, 'Temporal refuses: there is no namespace acme; attache doctor says what to do');
  });
});

describe('looking at runs', () => {
  it('reads one run from the run itself, from the desk when no worker answers, and 404 when nobody knows it', async () => {
    const api = testApi();
    assert.equal((await api.send('GET', RUN)).body.code, 'run_not_found');
    const attached = await api.send('POST', '/runs', ATTACH);
    assert.equal((await api.send('GET', RUN)).body['id'], attached.body['id']);
    api.runs.weather = 'no_worker';
    const { status, body } = await api.send('GET', RUN);
    assert.deepEqual([status, body['id'], body['pendingEffects']], [200, attached.body['id'], []]);
  });

  it('shows as lost what was terminated in Temporal, though its workflow still answers as it last stood', async () => {
    const api = testApi();
    await api.send('POST', '/runs', ATTACH);
    const lost = { status: 'REMOVED_BY_SYSTEM', reason: 'lost', phase: null, endedAt: '2026-11-30T10:00:00.000Z' };
    api.desk.runs.splice(0, 1, { ...api.desk.runs[0], ...lost } as never);
    const { status, body } = await api.send('GET', RUN);
    assert.deepEqual([status, body['status'], body['reason']], [200, 'REMOVED_BY_SYSTEM', 'lost']);
  });

  it('shows what Temporal knows when no worker answers and the desk has heard of nothing', async () => {
    const api = testApi();
    await api.runs.attach({
      tenant: 'demo',
      subject: 'conversation/42',
      slot: 'answering',
      agent: 'qualifier',
      actor: 'crm',
    });
    api.runs.weather = 'no_worker';
    assert.equal((await api.send('GET', RUN)).body['status'], 'IN_PROGRESS');
  });

  it('lists without configuration, state or policy', async () => {
    const api = testApi();
    await api.send('POST', '/runs', ATTACH);
    const { body } = await api.send('GET', '/runs?status=IN_PROGRESS&agent=&limit=10');
    assert.equal(body.items.length, 1);
    assert.equal('config' in (body.items[0] ?? {}), false);
    assert.equal(body['nextCursor'], null);
  });

  it('names the parameter that is wrong', async () => {
    const api = testApi();
    for (const [query, path] of [
      ['limit=0', 'limit'],
      ['limit=201', 'limit'],
      ['limit=x', 'limit'],
      ['status=DONE', 'status'],
      ['dueWithin=soon', 'dueWithin'],
      ['subject=conversation', 'subject'],
      ['stauts=COMPLETED', 'stauts'],
      ['cursor=%00', 'cursor'],
    ]) {
      const { status, body } = await api.send('GET', `/runs?${query}`);
      assert.deepEqual([status, body.errors.map((error) => error.path)], [422, [path]], query);
    }
  });

  it('names the id in the path that is outside the grammar', async () => {
    const api = testApi();
    for (const [path, field] of [
      ['/v1/tenants/Demo/runs', 'tenant'],
      ['/v1/tenants/%00/stats', 'tenant'],
      ['/v1/tenants/demo/runs/conversation/a%2Fb/answering', 'conversation'],
      ['/v1/tenants/demo/runs/conversation/a/b/answering', 'subject'],
      ['/v1/tenants/demo/runs/conversation/../answering', 'run'],
      ['/v1/tenants/demo/runs/conversation/%F0%9F%98%80/answering', 'conversation'],
      [`/v1/tenants/demo/runs/conversation/${'x'.repeat(300)}/answering`, 'conversation'],
      ['/v1/tenants/demo/runs/conversation/42/Answering', 'slot'],
      ['/v1/tenants/demo/runs/conversation/%ED%A0%80/answering/timeline', 'conversation'],
      ['/v1/tenants/demo/conversations/%00/messages', 'conversation'],
    ]) {
      const { status, body } = await api.send('GET', path ?? '');
      assert.deepEqual([status, body.errors.map((error) => error.path)], [422, [field]], path);
    }
  });
});
