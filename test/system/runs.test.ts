/** Runs over HTTP on a real `attache dev`: every act, every race, and every kind of bad input. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { newPlace, startDev, type Dev } from '../support/attache.ts';
import { openCrmBusiness, type CrmBusiness } from '../support/crm-business.ts';
import { asleep, tenantApi, type Act, type Json, type RunBody } from '../support/tenant-api.ts';
import { until } from '../support/until.ts';
import { badInput, STRICT } from './bad-input.ts';

interface Results {
  readonly items: readonly { readonly result: string }[];
  readonly [member: string]: unknown;
}

const ACTS: readonly Act[] = ['detach', 'takeover', 'pause', 'resume', 'snooze', 'wake'];
const DAY_MS = 86_400_000;
const SOLD = '42';

describe('runs over HTTP', () => {
  const place = newPlace();
  let dev: Dev;
  let crm: CrmBusiness;
  const api = tenantApi(() => dev.url, 'demo');
  const acme = tenantApi(() => dev.url, 'acme');
  const many = tenantApi(() => dev.url, 'many');

  before(async () => {
    crm = await openCrmBusiness([SOLD]);
    const policy = { quietHours: null, debounce: { quiet: '0s', max: '0s' } };
    place.configure({
      tenants: {
        demo: { channels: [{ kind: 'simulated' }], agents: { 'lead-qualification': { policy } } },
        many: { channels: [{ kind: 'simulated' }] },
        strict: STRICT,
        acme: {
          ...crm.settings,
          autoAttach: [{ on: 'message.inbound', agent: 'lead-qualification' }],
          agents: { 'lead-qualification': { policy } },
        },
      },
    });
    dev = await startDev({ place });
  });

  after(async () => {
    place.leave();
    await crm.close();
  });

  const tomorrow = () => new Date(Date.now() + DAY_MS).toISOString();
  const bodyOf = (act: Act) => (act === 'snooze' ? { for: '2d' } : {});

  /** Attached, and asleep until tomorrow without having ticked. */
  async function sleeper(conversation: string): Promise<RunBody> {
    assert.equal((await api.attach(conversation, { firstRunAt: tomorrow() })).status, 201);
    return api.runWhen(
      conversation,
      'asleep',
      ({ phase, agentVersion }) => phase === 'asleep' && agentVersion !== null,
    );
  }

  /** All that was told there: nobody who is attached from now on is woken by it. */
  const delivered = async (conversation: string) =>
    until('the events to be delivered', async () => {
      const { body } = await api.get<{ items: { status: string }[] }>(`/events?subject=conversation/${conversation}`);
      return body.items.every(({ status }) => status === 'delivered');
    });

  it('attaches once: the second attach is told of the first', async () => {
    const first = await api.attach('once');
    const second = await api.attach('once');
    assert.deepEqual([first.status, second.status, second.body.code], [201, 409, 'already_attached']);
    assert.equal(second.body.run.id, first.body.id);
  });

  it('makes one run of twenty attaches at once, while ten other conversations attach (C10)', async () => {
    const [same, others] = await Promise.all([
      Promise.all(Array.from({ length: 20 }, async () => api.attach('contested', { firstRunAt: tomorrow() }))),
      Promise.all(Array.from({ length: 10 }, async (_, n) => api.attach(`other-${n}`, { firstRunAt: tomorrow() }))),
    ]);
    const winners = same.filter(({ status }) => status === 201);
    const losers = same.filter(({ status }) => status === 409);
    assert.deepEqual([winners.length, losers.length], [1, 19]);
    assert.deepEqual(new Set(losers.map(({ body }) => body.run.id)), new Set([winners[0]?.body.id]));
    assert.deepEqual(new Set(others.map(({ status }) => status)), new Set([201]));
    const { body } = await api.get<{ items: unknown[] }>('/runs?subject=conversation/contested');
    assert.equal(body.items.length, 1);
  });

  for (const [act, status, reason] of [
    ['detach', 'REMOVED_BY_USER', 'detached'],
    ['takeover', 'EXITED_ON_OUTBOUND', 'taken_over'],
  ] as const) {
    it(`shows a ${act} at once, takes the second as the first, and says nothing afterwards`, async () => {
      await api.attach(act);
      await api.runWhen(act, 'asleep after its greeting', asleep);
      const first = await api.act(act, act, { by: 'rui', reason: 'mine' });
      assert.deepEqual(
        [first.status, first.body.status, first.body.reason, first.body.actor, first.body.nextRunAt],
        [200, status, reason, 'local/rui', null],
      );
      const seen = await api.run(act);
      assert.deepEqual([seen.status, seen.reason], [status, reason]);
      const second = await api.act(act, act, { by: 'eva' });
      assert.deepEqual([second.status, second.body], [200, first.body]);
      const said = await api.said(act);
      await api.hears(act, 'anybody there?');
      await delivered(act);
      assert.deepEqual(await api.said(act), said);
    });
  }

  it('answers every act on an ended run with its final status, starts nothing and overwrites nothing (A4)', async () => {
    await sleeper('ended');
    const { body: final } = await api.act('ended', 'detach', { by: 'rui' });
    for (const act of ACTS) {
      const { status, body } = await api.act('ended', act, bodyOf(act));
      assert.equal(status, 200, `${act}: ${JSON.stringify(body)}`);
      assert.deepEqual(
        [body.id, body.status, body.reason, body.actor],
        [final.id, final.status, final.reason, final.actor],
      );
    }
    assert.equal((await api.hears('ended', 'hello?')).status, 200);
    await delivered('ended');
    const { body } = await api.get<{ items: RunBody[] }>('/runs?subject=conversation/ended');
    assert.deepEqual([body.items.length, body.items[0]?.status], [1, 'REMOVED_BY_USER']);
  });

  it('answers 404 for a run that never was, and 409 for one of another attachment', async () => {
    const { body: old } = await api.attach('twice', { firstRunAt: tomorrow() });
    await api.act('twice', 'detach');
    await sleeper('twice');
    for (const act of ACTS) {
      assert.equal((await api.act('nobody', act, bodyOf(act))).status, 404, act);
      const { status, body } = await api.act('twice', act, { ...bodyOf(act), id: old.id });
      assert.deepEqual([status, body.code], [409, 'attachment_mismatch'], act);
    }
    const run = await api.run('twice');
    assert.deepEqual([run.status, run.phase], ['IN_PROGRESS', 'asleep']);
  });

  it('is deaf to nothing while paused, and ticks once when resumed', async () => {
    await sleeper('paused');
    const paused = await api.act('paused', 'pause', { by: 'rui' });
    assert.deepEqual([paused.status, paused.body.phase], [200, 'paused']);
    await api.hears('paused', 'Hi');
    await api.hears('paused', 'Are you there?');
    await api.runWhen('paused', 'holding both', ({ queued }) => queued === 2);
    assert.deepEqual(await api.said('paused'), []);
    assert.equal((await api.act('paused', 'resume')).status, 200);
    const run = await api.runWhen('paused', 'asleep again', asleep);
    assert.deepEqual([run.ticks, (await api.said('paused')).length], [1, 1]);
  });

  it('moves its due time when snoozed and ticks when woken', async () => {
    await sleeper('moved');
    const until = new Date(Date.now() + 3 * DAY_MS).toISOString();
    const { status, body } = await api.act('moved', 'snooze', { until });
    assert.deepEqual([status, body.nextRunAt, (await api.run('moved')).nextRunAt], [200, until, until]);
    assert.equal((await api.act('moved', 'snooze', { until })).body.nextRunAt, until);
    assert.equal((await api.act('moved', 'wake')).status, 200);
    assert.equal((await api.runWhen('moved', 'asleep after a tick', asleep)).ticks, 1);
    const { body: told } = await api.get<{ items: { act?: string }[] }>('/runs/conversation/moved/answering/timeline');
    const acts = told.items.flatMap(({ act }) => act ?? []);
    assert.deepEqual(acts, ['attach', 'snooze', 'snooze', 'wake'], 'by the server alone, not by the run as well');
  });

  it('leaves a conversation that was closed or given to a human, whatever the CRM repeats, and greets nobody there', async () => {
    for (const [name, event, reason] of [
      ['closed', { type: 'conversation.closed', data: { by: 'rui' } }, 'closed_by_human'],
      ['assigned', { type: 'conversation.assigned', data: { to: 'human', by: 'rui' } }, 'taken_over'],
    ] as const) {
      await api.hears(name, 'Hi');
      await delivered(name);
      await sleeper(name);
      const fact = {
        id: `${name}-1`,
        source: 'crm',
        time: new Date().toISOString(),
        subject: `conversation/${name}`,
        ...event,
      };
      const answers = await Promise.all(Array.from({ length: 5 }, async () => api.post<Results>('/events', fact)));
      const results = answers.map(({ body }) => body.items[0]?.result).sort();
      assert.deepEqual(results, ['accepted', ...Array<string>(4).fill('duplicate')]);
      const run = await api.runWhen(name, 'ended', ({ status }) => status !== 'IN_PROGRESS');
      assert.deepEqual([run.status, run.reason, run.ticks], ['EXITED_ON_OUTBOUND', reason, 0]);
      assert.deepEqual(await api.said(name), []);
    }
    // The CRM repeats its attach: the conversation is closed, and nothing goes out there.
    await api.attach('closed');
    const run = await api.runWhen(
      'closed',
      'through with its tick',
      ({ ticks, phase }) => ticks > 0 && phase !== 'thinking',
    );
    assert.deepEqual([await api.said('closed'), run.failures], [[], 0]);
  });

  it('says nothing after an accepted takeover, however close to the due time it comes (B9)', async () => {
    const offsets = [
      -200, -50, -50, -20, -10, 0, 0, 0, 5, 10, 15, 20, 30, 40, 50, 50, 60, 80, 100, 120, 150, 200, 300, 400,
    ];
    const dueAt = Date.now() + 4_000;
    const names = offsets.map((_, n) => `race-${n}`);
    for (const name of names) await api.hears(name, 'Hi');
    await Promise.all(names.map(async (name) => api.attach(name, { firstRunAt: new Date(dueAt).toISOString() })));
    const taken = await Promise.all(
      names.map(async (name, n) => {
        await sleep(Math.max(0, dueAt + (offsets[n] ?? 0) - Date.now()));
        const { body } = await api.act(name, 'takeover');
        return { name, body, acceptedAt: new Date().toISOString() };
      }),
    );
    for (const { name, body, acceptedAt } of taken) {
      const run = await api.runWhen(name, 'ended', ({ status }) => status !== 'IN_PROGRESS');
      assert.deepEqual([run.status, run.reason], ['EXITED_ON_OUTBOUND', 'taken_over'], JSON.stringify(body));
      const later = (await api.messages(name)).filter(
        ({ direction, at }) => direction === 'out' && String(at) > acceptedAt,
      );
      assert.deepEqual(later, [], name);
    }
  });

  describe('of a CRM’s own server', () => {
    const tells = async (conversation: string, type: string, words: string, more: Json = {}) =>
      crm.tells(acme.webhook('generic'), conversation, type, { content: { kind: 'text', text: words }, ...more });

    it('write there what the agent answers, and are told by webhook from the attachment to the takeover', async () => {
      await tells(SOLD, 'message.inbound', 'Hi, how much is it?');
      await until('an answer in the CRM', () => crm.written(SOLD).length === 1);
      await until('the attachment to be told', () => crm.toldOf(SOLD).includes('run.attached'));
      await tells(SOLD, 'message.outbound', 'I take this one', { author: 'human' });
      const run = await acme.runWhen(SOLD, 'ended', ({ status }) => status !== 'IN_PROGRESS');
      assert.deepEqual([run.status, run.reason], ['EXITED_ON_OUTBOUND', 'human_replied']);
      await until('the end to be told', () => crm.toldOf(SOLD).length === 3);
      assert.deepEqual([...crm.toldOf(SOLD)].sort(), ['run.attached', 'run.ended', 'run.tookOver']);
      assert.equal(crm.written(SOLD).length, 1);
    });

    it('are given back by hand: a new run says nothing of its own, and answers the customer', async () => {
      const before = await acme.run(SOLD);
      const path = `/runs/conversation/${SOLD}/answering/handback`;
      const { status, body } = await acme.post<RunBody>(path, { note: 'price agreed' });
      assert.deepEqual([status, body.status], [200, 'IN_PROGRESS'], JSON.stringify(body));
      assert.notEqual(body.id, before.id);
      await acme.runWhen(SOLD, 'asleep', asleep);
      assert.equal(crm.written(SOLD).length, 1);
      await tells(SOLD, 'message.inbound', 'And when can you deliver?');
      await until('the next answer', () => crm.written(SOLD).length === 2);
      assert.equal((await acme.run(SOLD)).id, body.id);
    });
  });

  it('follow what they were attached with, and again after a hand-back', async () => {
    const followed = async () => {
      const { body } = await api.get<{ items: { topic: string; followers: number }[] }>('/topics');
      return body.items.find(({ topic }) => topic === 'spring-offer')?.followers;
    };
    assert.equal((await api.attach('offers', { firstRunAt: tomorrow(), topics: ['spring-offer'] })).status, 201);
    await until('it to be followed', async () => (await followed()) === 1);
    await api.act('offers', 'takeover');
    await until('it to be followed by nobody', async () => (await followed()) === undefined);
    const { status, body } = await api.post('/runs/conversation/offers/answering/handback');
    assert.equal(status, 200, JSON.stringify(body));
    await until('it to be followed again', async () => (await followed()) === 1);
  });

  it('pauses, resumes, wakes and detaches many at once, each once and none that had ended', async () => {
    const names = ['a', 'b', 'c', 'ended'];
    for (const name of names) await many.attach(name, { firstRunAt: tomorrow() });
    for (const name of names) await many.runWhen(name, 'prepared', ({ agentVersion }) => agentVersion !== null);
    await many.act(names.pop() ?? '', 'detach');
    // Acts on many go by the desk, which hears of an end after whoever asked for it.
    await until('its end to be in the desk', async () => {
      const { body } = await many.get<{ items: unknown[] }>('/runs?subject=conversation/ended&status=REMOVED_BY_USER');
      return body.items.length === 1;
    });
    const act = async (action: string) => {
      const { body } = await many.post('/bulk', { action, filter: { agent: 'lead-qualification' } });
      const done = await until(`${action} to be done`, async () => {
        const found = (await many.get(`/bulk/${String(body['id'])}`)).body;
        return found['state'] === 'done' && found;
      });
      assert.deepEqual([done['total'], done['done'], done['failed']], [3, 3, 0], `${action}: ${JSON.stringify(done)}`);
      const runs = await Promise.all(names.map(async (name) => many.run(name)));
      return [...new Set(runs.map(({ status, phase, ticks }) => `${status} ${phase ?? ''} ${ticks}`))];
    };
    assert.deepEqual(await act('pause'), ['IN_PROGRESS paused 0']);
    assert.deepEqual(await act('resume'), ['IN_PROGRESS asleep 0']);
    await act('wake');
    for (const name of names) await many.runWhen(name, 'through with its tick', asleep);
    assert.deepEqual(await act('detach'), ['REMOVED_BY_USER  1']);
    assert.equal((await many.run('ended')).ticks, 0);
  });

  describe('bad input', () => badInput(() => dev.url));
});
