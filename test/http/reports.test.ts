import assert from 'node:assert/strict';
import type { RunRecord } from '../../src/desk/desk.ts';
import { testApi, type TestApi } from '../support/api.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { aClaim } from '../support/facts.ts';

/** When these tests began, which may be long after the file was read. */
let began = 0;
const iso = (ms: number) => new Date(began + ms).toISOString();
const HOUR = 3_600_000;

function run(n: string, change: Partial<RunRecord> = {}): RunRecord {
  const subject = `conversation/${n}` as never;
  return {
    ...{ id: `run-${n}`, tenant: 'demo' as never, subject, slot: 'answering' as never, agent: 'qualifier' as never },
    ...{ agentVersion: 1, status: 'IN_PROGRESS', reason: null, phase: 'asleep', actor: null, comment: null },
    ...{
      attachedAt: iso(-5 * HOUR),
      endedAt: null,
      nextRunAt: iso(HOUR),
      nextRunWhy: 'asked for',
      ticks: 1,
      failures: 0,
    },
    ...{ workflowId: `run/demo/conversation/${n}/answering`, config: {}, state: {}, policy: null },
    ...change,
  };
}

describe('what is read from the desk', () => {
  let opened: TestDesk;
  let api: TestApi;
  const get = async (path: string) => {
    const { status, body } = await api.send('GET', path);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const ids = async (query: string) => (await get(`/runs?${query}`)).items.map(({ id }) => String(id).slice(4));

  before(async () => {
    opened = await openTestDesk();
    began = Date.now();
    api = testApi({ desk: opened.desk });
    const { runs, conversations, acts } = opened.desk;
    const live = [
      run('asleep'),
      run('soon', { nextRunAt: iso(4 * 60_000) }),
      run('late', { nextRunAt: iso(-HOUR) }),
      run('failing', { failures: 2, nextRunAt: iso(2 * HOUR), agentVersion: 2 }),
      run('paused', { phase: 'paused', nextRunAt: iso(-2 * HOUR) }),
    ];
    for (const one of live) await runs.insertIfAbsent(one);
    const ends = [
      ['goal', 'COMPLETED', 'goal_reached', -2 * HOUR],
      ['human', 'EXITED_ON_OUTBOUND', 'taken_over', -HOUR],
      ['lost', 'REMOVED_BY_SYSTEM', 'lost', -3 * HOUR],
      ['replied', 'EXITED_ON_INBOUND', 'customer_replied', -4 * HOUR],
    ] as const;
    for (const [n, status, reason, at] of ends)
      await runs.recordEnd({ run: run(n, { status, reason, endedAt: iso(at), nextRunAt: null }), unhandled: [] });
    const tick = {
      tick: 2,
      attempt: 1,
      why: 'due',
      dueAt: iso(-HOUR),
      startedAt: iso(-HOUR + 250),
      endedAt: iso(-HOUR + 300),
    } as const;
    const outcome = { kind: 'reschedule', nextRunAt: null, why: null, effects: [] } as const;
    await runs.recordTick({
      tick: { ...tick, attachment: 'run-asleep' as never, events: [], outcome },
      run: { failures: 0 },
    });
    const contact = { address: '+5511999990001', name: 'Ana Souza' };
    await conversations.ensure({ tenant: 'demo' as never, id: 'soon' as never, channel: 'simulated', contact });
    await acts.record({
      ...{ tenant: 'demo' as never, subject: 'conversation/held' as never, slot: null, attachment: null },
      ...{ act: 'takeover', actor: 'eva', comment: null, at: iso(0) },
    });
  });
  after(async () => opened.close());

  it('runs come with trouble first, by due time, or the newest first, over any pages', async () => {
    const trouble = ['failing', 'late', 'soon', 'asleep', 'paused', 'human', 'goal', 'lost', 'replied'];
    assert.deepEqual(await ids('sort=trouble'), trouble);
    for (const limit of [1, 2, 4]) {
      const paged: string[] = [];
      for (let cursor = ''; ;) {
        const page = await get(`/runs?sort=trouble&limit=${limit}${cursor}`);
        paged.push(...page.items.map(({ id }) => String(id).slice(4)));
        const next = page['nextCursor'];
        if (typeof next !== 'string') break;
        cursor = `&cursor=${next}`;
      }
      assert.deepEqual(paged, trouble, `pages of ${limit}`);
    }
    assert.deepEqual(await ids('sort=due'), ['paused', 'late', 'soon', 'asleep', 'failing']);
    const { items } = await get('/runs?sort=trouble&limit=3');
    assert.deepEqual(
      items.map(({ trouble, contact }) => [trouble, contact]),
      [
        ['failing', null],
        ['overdue', null],
        [null, { name: 'Ana Souza' }],
      ],
    );
  });

  it('runs are found by what is asked of them', async () => {
    const cases: [string, string[]][] = [
      ['failing=true', ['failing']],
      ['phase=paused', ['paused']],
      ['version=2', ['failing']],
      ['reason=lost&sort=trouble', ['lost']],
      ['status=COMPLETED&sort=trouble', ['goal']],
      ['subject=conversation/late&slot=answering', ['late']],
      ['q=souza', ['soon']],
      ['q=99999', ['soon']],
      ['q=PLIED', ['replied']],
      ['q=run-go', ['goal']],
      ['q=%25', []],
      ['costMin=0.01', []],
      [`endedFrom=${iso(-2.5 * HOUR)}&endedTo=${iso(-1.5 * HOUR)}&sort=trouble`, ['goal']],
      ['dueWithin=5m&sort=due', ['paused', 'late', 'soon']],
      [`plannedTo=${iso(HOUR)}&sort=due`, ['late', 'soon']],
      [`plannedFrom=${iso(0)}&plannedTo=${iso(90 * 60_000)}&sort=due`, ['soon', 'asleep']],
    ];
    for (const [query, found] of cases) assert.deepEqual(await ids(query), found, query);
    for (const bad of ['failing=yes', 'costMin=-1', 'sort=odd', 'phase=odd', 'cursor=WzEyXQ', 'version=x'])
      assert.equal((await api.send('GET', `/runs?${bad}`)).body.code, 'invalid', bad);
  });

  it('runs are counted by kind', async () => {
    const counts = await get('/runs/counts');
    assert.deepEqual([counts['total'], counts['failing'], counts['overdue']], [9, 1, 1]);
    assert.deepEqual(counts['phase'], { asleep: 4, paused: 1 });
    assert.equal((counts['reason'] as Record<string, number>)['lost'], 1);
    assert.equal((await get('/runs/counts?failing=false'))['total'], 4);
  });

  it('outcomes come by day, agent, version, status or reason, with rates, funnel and lag, and as CSV', async () => {
    const body = await get('/outcomes?by=reason');
    assert.deepEqual(
      body.items.map(({ group, ended }) => [group, ended]),
      [
        ['customer_replied', 1],
        ['goal_reached', 1],
        ['lost', 1],
        ['taken_over', 1],
      ],
    );
    const { ended, completion, takeover, failure, costUsd } = body['total'] as Record<string, unknown>;
    assert.deepEqual([ended, completion, takeover, failure, costUsd], [4, 0.5, 0.25, 0.25, null]);
    assert.deepEqual(body['lag'], { count: 1, p50Ms: 250, p99Ms: 250 });
    assert.deepEqual(body['funnel'], { attached: 9, woke: 9, spoke: 0, answered: 0, succeeded: 2 });
    assert.equal((await get('/outcomes?by=version')).items[0]?.['group'], 'qualifier@1');
    assert.equal(
      (await get(`/outcomes?from=${iso(-90 * 60_000)}`)).items.reduce((n, one) => n + Number(one['ended']), 0),
      1,
    );
    const csv = await api.ask('/v1/tenants/demo/outcomes?by=agent', { headers: { accept: 'text/csv' } });
    assert.match(await csv.text(), /^agent,ended,COMPLETED,.*\r\nqualifier,4,1,/);
    assert.equal((await api.send('GET', `/outcomes?from=${iso(0)}&to=${iso(-HOUR)}`)).body.errors[0]?.path, 'from');
  });

  it('the week ahead comes by the hour, what is overdue as now, and pile-ups are flagged', async () => {
    const { runs } = opened.desk;
    const at = iso(50 * HOUR);
    for (let n = 0; n < 40; n++)
      await runs.insertIfAbsent(run(`pile-${n}`, { tenant: 'acme' as never, nextRunAt: at }));
    for (const n of [60, 70, 80, 90])
      await runs.insertIfAbsent(run(`one-${n}`, { tenant: 'acme' as never, nextRunAt: iso(n * HOUR) }));
    await runs.insertIfAbsent(run('overdue', { tenant: 'acme' as never, nextRunAt: iso(-9 * HOUR) }));
    await runs.insertIfAbsent(run('far', { tenant: 'acme' as never, nextRunAt: iso(200 * HOUR) }));
    const { body } = await api.send('GET', '/v1/tenants/acme/calendar');
    assert.deepEqual(
      body.items.map(({ wakeUps, pileUp }) => [wakeUps, pileUp]),
      [
        [1, false],
        [40, true],
        [1, false],
        [1, false],
        [1, false],
        [1, false],
      ],
    );
    assert.ok(Date.parse(String(body.items[0]?.['at'])) > began - HOUR);
  });

  it('an hour of it is opened by runs that wake in it, or have a message that waits for it', async () => {
    const claim = aClaim(run('asleep'), { kind: 'message.send', text: 'Hello again' });
    await opened.desk.ledger.claim(claim);
    await opened.desk.ledger.parked({ key: claim.key, reason: 'quiet_hours', until: iso(30 * HOUR) });
    assert.deepEqual(await ids(`plannedFrom=${iso(29 * HOUR)}&plannedTo=${iso(31 * HOUR)}&sort=trouble`), ['asleep']);
    assert.deepEqual(await ids(`plannedFrom=${iso(29 * HOUR)}&plannedTo=${iso(30 * HOUR)}&sort=trouble`), []);
  });

  it('agents come with policy, schema, switch and runs', async () => {
    await api.send('PUT', '/switches/agent/qualifier', { by: 'ana', reason: 'rude' });
    const [qualifier, watcher] = (await get('/agents')).items;
    assert.deepEqual(
      [qualifier?.['key'], (qualifier?.['off'] as Record<string, unknown>)['reason']],
      ['qualifier', 'rude'],
    );
    assert.ok('questions' in ((qualifier?.['configSchema'] as Record<string, object>)['properties'] ?? {}));
    assert.equal((qualifier?.['policy'] as Record<string, unknown>)['retryAfter'], '1h');
    assert.ok((qualifier?.['runs'] as unknown[]).length > 3);
    assert.equal(watcher?.['off'], null);
  });

  it('conversations come with their owner, contact and runs; channels with how they are', async () => {
    const { items } = await get('/conversations');
    assert.deepEqual(items.map(({ id, owner }) => [id, owner]).sort(), [
      ['held', 'human'],
      ['human', 'human'],
      ['soon', 'none'],
    ]);
    assert.deepEqual((await get('/conversations?owner=human')).items.length, 2);
    assert.deepEqual((await get('/conversations?q=ana')).items.length, 1);
    const one = await get('/conversations/soon');
    assert.deepEqual(
      (one['runs'] as { id: string }[]).map(({ id }) => id),
      ['run-soon'],
    );
    assert.equal((one['contact'] as Record<string, unknown>)['name'], 'Ana Souza');
    assert.equal((await api.send('GET', '/conversations/none')).body.code, 'conversation_not_found');
    assert.deepEqual((await get('/channels')).items[0]?.['lately'], { sent: 0, failed: 0 });
  });
});
