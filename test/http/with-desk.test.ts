import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createIntake } from '../../src/intake/intake.ts';
import {
  ANSWERING_SLOT,
  parseSlot,
  type AgentKey,
  type AttachmentId,
  type ConversationId,
  type Subject,
  type TenantId,
} from '../../src/domain/ids.ts';
import { testApi, type TestApi } from '../support/api.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { aRun } from '../support/facts.ts';
import { intakeDeps } from '../support/given.ts';

const RUN = '/runs/conversation/42/answering';

describe('the API over a real desk', function () {
  let opened: TestDesk;
  let api: TestApi;

  before(async () => {
    opened = await openTestDesk();
    const { desk } = opened;
    const intake = createIntake(intakeDeps(desk));
    api = testApi({ desk, intake });
  });
  after(async () => {
    await opened.close();
  });

  it('keeps what was attached, how it ended and by whom', async () => {
    const attached = await api.send('POST', '/runs', {
      agent: 'qualifier',
      subject: 'conversation/42',
      config: { questions: [{ text: 'Name?' }] },
      by: 'ana',
    });
    assert.equal(attached.status, 201);
    const { body: listed } = await api.send('GET', '/runs?status=IN_PROGRESS&dueWithin=1h&subject=conversation/42');
    assert.deepEqual(
      listed.items.map(({ id }) => id),
      [attached.body['id']],
    );
    await api.send('POST', `${RUN}/pause`, { by: 'bea', reason: 'wait' });
    assert.equal((await api.send('POST', `${RUN}/takeover`, { by: 'bea' })).status, 200);
    const { body: timeline } = await api.send('GET', `${RUN}/timeline`);
    assert.deepEqual(
      timeline.items.map(({ act, actor }) => [act, actor]),
      [
        ['attach', 'local/ana'],
        ['pause', 'local/bea'],
        ['takeover', 'local/bea'],
      ],
    );
  });

  it('leaves a conversation to nobody whose run has ended before the attach is answered', async () => {
    const { desk } = opened;
    const subject = 'conversation/77' as Subject;
    const attach = api.runs.attach.bind(api.runs);
    api.runs.attach = async (options) => {
      const attached = await attach(options);
      const end = { status: 'REMOVED_BY_USER', reason: 'switched_off', phase: null, nextRunAt: null } as const;
      const run = { ...attached.run, ...end, endedAt: new Date().toISOString(), config: {}, state: {}, policy: null };
      await desk.conversations.ensure({ tenant: run.tenant, id: '77' as ConversationId, channel: 'api' });
      await desk.runs.recordEnd({ run, unhandled: [] });
      return attached;
    };
    assert.equal((await api.send('POST', '/runs', { agent: 'qualifier', subject })).status, 201);
    api.runs.attach = attach;
    assert.equal((await desk.conversations.get('demo' as TenantId, '77' as ConversationId))?.owner, 'none');
  });

  it('keeps events and the transcript, and pages through both', async () => {
    const events = ['one', 'two', 'three'].map((text, at) => ({
      id: `page-${at}`,
      type: 'message.inbound',
      subject: 'conversation/7',
      time: `2026-11-29T12:00:0${at}Z`,
      data: { content: { kind: 'text', text } },
    }));
    assert.deepEqual(
      (await api.send('POST', '/events', [...events, events[0]])).body.items.map(({ result }) => result),
      ['accepted', 'accepted', 'accepted', 'duplicate'],
    );
    const { body: messages } = await api.send('GET', '/conversations/7/messages');
    assert.deepEqual(
      messages.items.map(({ text }) => text),
      ['one', 'two', 'three'],
    );
    const { body: first } = await api.send('GET', '/events?subject=conversation/7&limit=2');
    const { body: rest } = await api.send(
      'GET',
      `/events?subject=conversation/7&limit=2&cursor=${String(first['nextCursor'])}`,
    );
    assert.equal(new Set([...first.items, ...rest.items].map(({ id }) => id)).size, 3);
    assert.equal((await api.send('GET', '/conversations/8/messages')).body.code, 'conversation_not_found');
  });

  it('switches off and on', async () => {
    const path = '/switches/agent/qualifier';
    assert.equal((await api.send('GET', path)).status, 404);
    assert.equal((await api.send('PUT', path, { by: 'ana', reason: 'rude' })).status, 200);
    assert.equal((await api.send('PUT', path, { by: 'ana' })).status, 200);
    assert.equal((await api.send('GET', '/switches')).body.items.length, 1);
    assert.equal((await api.send('DELETE', path)).status, 204);
    assert.equal((await api.send('DELETE', path)).status, 204);
    const warningOf = async (what: string) => (await api.send('PUT', `/switches/${what}`)).body['warning'];
    assert.equal(await warningOf('agent/qualifier'), null);
    assert.match(String(await warningOf('agent/nope')), /no agent nope here; there are qualifier/);
    assert.match(String(await warningOf('channel/nope')), /no channel nope here; there are simulated/);
    for (const what of ['agent/qualifier', 'agent/nope', 'channel/nope']) await api.send('DELETE', `/switches/${what}`);
    for (const [bad, field] of [
      ['planet/earth', 'scope'],
      ['agent/No', 'key'],
      ['tenant/acme', 'key'],
      ['channel/%00', 'key'],
    ])
      assert.equal((await api.send('PUT', `/switches/${bad}`)).body.errors[0]?.path, field);
  });

  it('counts', async () => {
    const { body } = await api.send('GET', '/stats');
    assert.deepEqual(Object.keys(body), ['byStatus', 'byReason', 'byAgent', 'lag', 'spend']);
  });

  it('never answers 500, whatever it is sent', async () => {
    const nasty = fc.oneof(
      fc.constantFrom(
        '',
        ' ',
        '..',
        '%00',
        '\u0000',
        '\ud800',
        '😀',
        "' or 1=1 --",
        'a/b',
        '-1',
        '1e400',
        'x'.repeat(300),
        '__proto__',
        'conversation/42',
        'business',
        '2026-02-30T00:00:00Z',
        '0000-01-01T00:00:00Z',
      ),
      fc.string({ unit: 'binary', maxLength: 20 }),
    );
    const value = fc.oneof(nasty, fc.jsonValue({ maxDepth: 3 }));
    const paths = [
      '/runs',
      '/events',
      RUN,
      `${RUN}/timeline`,
      '/stats',
      '/switches',
      '/conversations/42/messages',
      `${RUN}/snooze`,
      `${RUN}/detach`,
      `${RUN}/pause`,
    ];
    const body = fc.oneof(
      value,
      fc.dictionary(
        fc.constantFrom(
          'agent',
          'subject',
          'config',
          'firstRunAt',
          'slot',
          'by',
          'reason',
          'id',
          'until',
          'for',
          'type',
          'time',
          'source',
          'data',
          'items',
        ),
        value,
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        nasty,
        nasty,
        fc.constantFrom('subject', 'cursor', 'id', 'limit', 'agent', 'status'),
        body,
        async (path, segment, value_, name, sent) => {
          const asked = [
            await api.send('POST', path, sent),
            await api.send('GET', `${path}?${name}=${encodeURIComponent(value_.replace(/\p{Surrogate}/gu, '?'))}`),
            await api.send(
              'GET',
              `/runs/conversation/${encodeURIComponent(segment.replace(/\p{Surrogate}/gu, '?'))}/answering`,
            ),
            await api.send(
              'GET',
              `/conversations/${encodeURIComponent(segment.replace(/\p{Surrogate}/gu, '?'))}/messages`,
            ),
          ];
          for (const { status } of asked) assert.ok(status < 500, `${status}: ${api.logged.at(-1) ?? ''}`);
        },
      ),
      { numRuns: 200 },
    );
  });

  describe('where a rule is about to attach', () => {
    const known = async (id: string) => {
      const data = { content: { kind: 'text', text: 'Hi' } };
      const event = {
        id: `known-${id}`,
        type: 'message.inbound',
        subject: `conversation/${id}`,
        time: now(-60_000),
        data,
      };
      await api.send('POST', '/events', [event]);
    };
    const now = (later: number) => new Date(Date.now() + later).toISOString();
    const question = (id: string) => ({
      ...{ tenant: 'demo' as TenantId, subject: `conversation/${id}` as Subject, slot: ANSWERING_SLOT },
      ...{ attachment: 'begun-by-a-rule' as AttachmentId, attachedAt: now(-60_000), agent: 'qualifier' as AgentKey },
      ...{ channel: null, onHumanMessage: 'end' as const },
    });

    it('a takeover makes a human the owner though nothing is attached yet, and says so', async () => {
      await known('61');
      const answer = await api.send('POST', '/runs/conversation/61/answering/takeover', { by: 'ana' });
      assert.equal(answer.status, 404);
      assert.match(String(answer.body['detail']), /held by a human from now on/);
      const conversation = await opened.desk.conversations.get('demo' as TenantId, '61' as ConversationId);
      assert.equal(conversation?.owner, 'human');
      assert.equal(await opened.desk.acts.objection(question('61')), 'taken_over');
    });

    it('a takeover of a conversation the desk has not heard of is kept: its first message finds it held by a human', async () => {
      const [tenant, id, subject] = ['demo' as TenantId, '64' as ConversationId, 'conversation/64' as Subject];
      for (let twice = 0; twice < 2; twice += 1) {
        const answer = await api.send('POST', '/runs/conversation/64/answering/takeover', { by: 'ana' });
        assert.equal(answer.status, 404);
        assert.match(String(answer.body['detail']), /held by a human from now on/);
      }
      const contact = { address: 'contact:7', name: 'Ana' };
      const data = { contact, content: { kind: 'text' as const, text: 'Hi' } };
      const event = { ...{ id: 'm64', source: 'chatwoot:1', time: now(-5_000) }, subject, data };
      await opened.desk.intake.store({ tenant, channel: 'chatwoot:1', event: { ...event, type: 'message.inbound' } });
      const conversation = await opened.desk.conversations.get(tenant, id);
      assert.deepEqual(
        [conversation?.owner, conversation?.channel, conversation?.contact?.name],
        ['human', 'chatwoot:1', 'Ana'],
      );
      assert.equal(await opened.desk.acts.objection(question('64')), 'taken_over');
    });

    it('a takeover while Temporal is away holds against every run that only Temporal knows, and is told to the one it names', async () => {
      const { desk } = opened;
      const [tenant, subject] = ['demo' as TenantId, 'conversation/65' as Subject];
      api.runs.weather = 'unreachable';
      for (let twice = 0; twice < 2; twice += 1) {
        const answer = await api.send('POST', '/runs/conversation/65/answering/takeover', { by: 'ana' });
        assert.deepEqual([answer.status, answer.body.code], [503, 'temporal_unreachable']);
      }
      api.runs.weather = 'fair';
      assert.equal((await desk.conversations.get(tenant, '65' as ConversationId))?.owner, 'human');
      assert.equal(await desk.acts.objection(question('65')), 'taken_over');
      assert.equal(await desk.acts.objection({ ...question('65'), slot: parseSlot('reminding') }), 'taken_over');
      assert.equal(await desk.acts.objection({ ...question('65'), attachedAt: now(60_000) }), null);
      const run = { ...aRun(subject, { attachedAt: now(-60_000) }), tenant };
      await desk.runs.insertIfAbsent(run);
      const pending = (await desk.acts.undelivered(100)).filter((act) => act.subject === subject);
      assert.deepEqual(
        [...new Set(pending.map(({ act, workflowId }) => `${act} ${workflowId}`))],
        [`takeover ${run.workflowId}`],
      );
    });

    it('a takeover where nothing is attached comes before the runs of other slots too', async () => {
      await known('66');
      assert.equal((await api.send('POST', '/runs/conversation/66/answering/takeover', { by: 'ana' })).status, 404);
      assert.equal(await opened.desk.acts.objection({ ...question('66'), slot: parseSlot('reminding') }), 'taken_over');
    });

    it('a takeover of what had ended holds the conversation, once', async () => {
      await api.send('POST', '/runs', { agent: 'qualifier', subject: 'conversation/62', by: 'ana' });
      await known('62');
      await api.send('POST', '/runs/conversation/62/answering/detach');
      for (let twice = 0; twice < 2; twice += 1)
        assert.equal(
          (await api.send('POST', '/runs/conversation/62/answering/takeover')).body['status'],
          'REMOVED_BY_USER',
        );
      const conversation = await opened.desk.conversations.get('demo' as TenantId, '62' as ConversationId);
      assert.equal(conversation?.owner, 'human');
    });

    it('a detach holds against the run that the rule begins, and against no later one', async () => {
      await known('63');
      assert.equal((await api.send('POST', '/runs/conversation/63/answering/detach')).status, 404);
      assert.equal(await opened.desk.acts.objection(question('63')), 'detached');
      assert.equal(await opened.desk.acts.objection({ ...question('63'), attachedAt: now(60_000) }), null);
      assert.equal((await api.send('POST', '/runs/conversation/never-heard-of/answering/detach')).status, 404);
    });
  });
});
