import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { rowsOf } from '../../src/desk/database/database.ts';
import type { Desk, Recipient } from '../../src/desk/desk.ts';
import type { BulkTask, TopicTask } from '../../src/domain/fan-out.ts';
import { parseTenantId, parseTopic, runWorkflowId, topicSubject, type TenantId } from '../../src/domain/ids.ts';
import { resolvePolicy } from '../../src/domain/schemas/policy.ts';
import { refOf } from '../../src/domain/event-refs.ts';
import { DATABASES, openTestDesk, type TestDesk } from '../support/desk.ts';
import { aConversation, accepted, aRun, at, fact } from '../support/facts.ts';
import { until } from '../support/until.ts';

const PRICES = parseTopic('price-list');
const soon = (inMs: number) => new Date(Date.now() + inMs).toISOString();

for (const kind of DATABASES)
  describe(`fan-outs on ${kind}`, () => {
    let opened: TestDesk;
    let desk: Desk;
    let tenant: TenantId;
    let count = 0;
    before(async () => {
      opened = await openTestDesk(kind);
      desk = opened.desk;
    });
    beforeEach(() => {
      tenant = parseTenantId(`tenant-${++count}`);
    });
    after(() => opened.close());

    async function attached(over: Partial<Parameters<typeof aRun>[1] & object> = {}, topics = [PRICES]) {
      const { subject } = aConversation();
      const run = aRun(subject, { tenant, attachedAt: soon(-60_000), ...over });
      const named = { ...run, workflowId: runWorkflowId(run) };
      await desk.runs.insertIfAbsent(named);
      await desk.runs.recordPrepared({
        attachment: run.id,
        agentVersion: 1,
        config: {},
        state: {},
        policy: resolvePolicy(),
        nextRunAt: soon(3_600_000),
        nextRunWhy: 'first run',
        topics,
      });
      return named;
    }
    const ended = (run: Awaited<ReturnType<typeof attached>>) =>
      desk.runs.recordEnd({
        run: { ...run, status: 'COMPLETED', reason: 'goal_reached', endedAt: at('13:00:00') },
        unhandled: [],
      });
    const told = async () =>
      accepted(
        await desk.intake.store({
          ...fact(topicSubject(PRICES) as never, { type: 'custom.prices', data: { list: 7 } }),
          tenant,
        }),
      ).event;
    /** By every clock: who is attached in the very millisecond in which an event is stored is told of it. */
    async function attachedAfter({ storedAt }: Awaited<ReturnType<typeof told>>) {
      const isOver = sql`select clock_timestamp() > ${storedAt}::timestamptz + interval '1 millisecond' as over`;
      await until('the next millisecond', async () => {
        const [now] = await rowsOf<{ over: boolean }>(desk.database, isOver);
        return now?.over;
      });
      return attached({ attachedAt: new Date(Date.parse(storedAt) + 1).toISOString() });
    }
    const topicTask = (event: Awaited<ReturnType<typeof told>>): TopicTask => ({
      kind: 'topic',
      topic: PRICES,
      event: refOf(event),
      storedAt: event.storedAt,
    });
    const bulk = (over: Partial<BulkTask> = {}): BulkTask => ({
      kind: 'bulk',
      action: 'pause',
      filter: {},
      actor: 'local/ana',
      comment: 'maintenance',
      ...over,
    });
    const begin = async (task: BulkTask | TopicTask, key: string = randomUUID()) =>
      (await desk.fanOuts.begin({ tenant, key, task })).fanOut;
    const done = (recipients: readonly Recipient[]) =>
      recipients.map((recipient) => ({ recipient, state: 'done' as const }));
    async function takeAll(id: string, limit = 2): Promise<string[]> {
      const taken: string[] = [];
      for (;;) {
        const next = await desk.fanOuts.take({ tenant, id, limit });
        assert.ok(next !== null);
        if (next.recipients.length === 0) return taken;
        taken.push(...next.recipients.map(({ attachment }) => attachment));
        await desk.fanOuts.settle({ tenant, id, results: done(next.recipients) });
      }
    }

    it('reaches whoever follows the topic and was there when the event came: each once, and nobody who came later', async () => {
      const followers = [await attached(), await attached(), await attached()];
      await attached({}, []);
      const gone = await attached();
      await ended(gone);
      const event = await told();
      const late = await attachedAfter(event);
      const { id, total } = await begin(topicTask(event));
      assert.equal(total, 3);
      assert.deepEqual((await takeAll(id)).sort(), followers.map((run) => run.id).sort());
      const over = await desk.fanOuts.get({ tenant, id });
      assert.deepEqual([over?.state, over?.done, over?.skipped], ['done', 3, 0]);
      assert.equal(await desk.events.wasDelivered(event.key, followers[0]?.id as never), true);
      assert.equal(await desk.events.wasDelivered(event.key, late.id), false);
      assert.equal((await desk.fanOuts.ofEvent(tenant, event.key))?.id, id);
      const { items: entries } = await desk.runs.timeline(followers[0]?.id as never);
      assert.ok(entries.some((entry) => entry.entry === 'event' && entry.type === 'custom.prices'));
    });

    it('tells an event again only to those who have not had it', async () => {
      const first = await attached();
      const event = await told();
      await takeAll((await begin(topicTask(event))).id);
      const again = await begin(topicTask(event));
      assert.deepEqual([again.total, again.state], [0, 'done']);
      assert.equal(await desk.events.wasDelivered(event.key, first.id), true);
    });

    it('gives back after a kill those who were taken and not settled, and settles nobody twice', async () => {
      for (let n = 0; n < 5; n += 1) await attached();
      const { id } = await begin(bulk());
      const before = await desk.fanOuts.take({ tenant, id, limit: 2 });
      const after = await desk.fanOuts.take({ tenant, id, limit: 2 });
      assert.deepEqual(after?.recipients, before?.recipients);
      const results = done(before?.recipients ?? []);
      await Promise.all([desk.fanOuts.settle({ tenant, id, results }), desk.fanOuts.settle({ tenant, id, results })]);
      assert.equal((await desk.fanOuts.get({ tenant, id }))?.done, 2);
      assert.equal((await takeAll(id)).length, 3);
      assert.equal((await desk.fanOuts.get({ tenant, id }))?.done, 5);
    });

    it('takes one who no longer fits the filter only if their turn had begun', async () => {
      const runs = [await attached(), await attached(), await attached()];
      const { id } = await begin(bulk({ filter: { phase: 'asleep' } }));
      const [first] = (await desk.fanOuts.take({ tenant, id, limit: 1 }))?.recipients ?? [];
      for (const run of runs) await desk.runs.recordPhase({ attachment: run.id, phase: 'paused' });
      assert.deepEqual(await takeAll(id), [first?.attachment]);
    });

    it('records an accepted act once, with who asked and why, and what the run answered', async () => {
      const run = await attached();
      const { id } = await begin(bulk());
      const [recipient] = (await desk.fanOuts.take({ tenant, id, limit: 5 }))?.recipients ?? [];
      assert.ok(recipient !== undefined);
      const answered = { phase: 'paused' as const, nextRunAt: at('15:00:00'), nextRunWhy: 'first run' };
      const accepted = { act: 'pause' as const, actor: 'local/ana', comment: 'maintenance', at: at('14:00:00') };
      const results = [{ recipient, state: 'done' as const, accepted: { ...accepted, run: answered } }];
      await desk.fanOuts.settle({ tenant, id, results });
      await desk.fanOuts.settle({ tenant, id, results });
      const acts = (await desk.runs.timeline(run.id)).items.flatMap(({ entryId, ...one }) =>
        one.entry === 'act' && entryId.startsWith('act-') ? [one] : [],
      );
      assert.deepEqual(acts, [
        { entry: 'act', at: at('14:00:00'), act: 'pause', actor: 'local/ana', comment: 'maintenance', stale: false },
      ]);
      const row = await desk.runs.get(run);
      assert.deepEqual([row?.phase, row?.nextRunAt, row?.actor], ['paused', at('15:00:00'), 'local/ana']);
    });

    it('accepts a detach for the run: the permit says no from then on', async () => {
      const run = await attached();
      const { id } = await begin(bulk({ action: 'detach' }));
      const [recipient] = (await desk.fanOuts.take({ tenant, id, limit: 5 }))?.recipients ?? [];
      assert.ok(recipient !== undefined);
      const detach = { act: 'detach' as const, actor: 'local/ana', comment: null, at: new Date().toISOString() };
      await desk.fanOuts.settle({ tenant, id, results: [{ recipient, state: 'done', accepted: detach }] });
      const { subject, slot, attachedAt, agent } = run;
      const question = { tenant, subject, slot, attachment: run.id, attachedAt, agent };
      assert.equal(await desk.acts.objection({ ...question, channel: null, onHumanMessage: 'end' }), 'detached');
      assert.ok((await desk.acts.undelivered(1_000)).some(({ workflowId }) => workflowId === run.workflowId));
    });

    it('is one act for one key, and another for another', async () => {
      await attached();
      const first = await desk.fanOuts.begin({ tenant, key: 'k', task: bulk() });
      const same = await desk.fanOuts.begin({ tenant, key: 'k', task: bulk({ action: 'detach' }) });
      assert.deepEqual([first.isNew, same.isNew, same.fanOut.id], [true, false, first.fanOut.id]);
      assert.deepEqual(same.fanOut.task, bulk());
      assert.notEqual((await begin(bulk(), 'l')).id, first.fanOut.id);
      const elsewhere = await desk.fanOuts.begin({ tenant: parseTenantId('other'), key: 'k', task: bulk() });
      assert.equal(elsewhere.isNew, true);
      assert.equal(await desk.fanOuts.get({ tenant: parseTenantId('other'), id: first.fanOut.id }), null);
    });

    it('stops: whoever’s turn has begun has it, nobody else', async () => {
      for (let n = 0; n < 3; n += 1) await attached();
      const { id } = await begin(bulk());
      const taken = await desk.fanOuts.take({ tenant, id, limit: 1 });
      assert.equal((await desk.fanOuts.cancel({ tenant, id }))?.state, 'stopping');
      await desk.fanOuts.settle({ tenant, id, results: done(taken?.recipients ?? []) });
      const over = await desk.fanOuts.take({ tenant, id, limit: 1 });
      assert.deepEqual([over?.fanOut.state, over?.fanOut.done, over?.recipients], ['cancelled', 1, []]);
      assert.equal((await desk.fanOuts.cancel({ tenant, id }))?.state, 'cancelled');
      const idle = await begin(bulk());
      assert.equal((await desk.fanOuts.cancel({ tenant, id: idle.id }))?.state, 'cancelled');
      assert.equal(await desk.fanOuts.cancel({ tenant, id: randomUUID() }), null);
    });

    it('narrows down by everything a list of runs does', async () => {
      const run = await attached({ failures: 2, agent: 'other' as never });
      await attached();
      const total = async (filter: BulkTask['filter']) =>
        (await desk.fanOuts.preview({ tenant, filter, sample: 1 })).total;
      assert.equal(await total({}), 2);
      assert.equal(await total({ agent: run.agent }), 1);
      assert.equal(await total({ failing: true }), 1);
      assert.equal(await total({ subject: run.subject }), 1);
      assert.equal(await total({ subjectPrefix: run.subject.slice(0, -3) }), 1);
      assert.equal(await total({ subjectPrefix: 'conversation/%' }), 0);
      assert.equal(await total({ topic: PRICES }), 2);
      assert.equal(await total({ topic: parseTopic('stock') }), 0);
      assert.equal(await total({ phase: 'paused' }), 0);
      assert.deepEqual([await total({ dueWithin: '10m' }), await total({ dueWithin: '2h' })], [0, 2]);
      const { items } = await desk.runs.list({ tenant, topic: PRICES, failing: true, limit: 5 });
      assert.deepEqual(
        items.map(({ id }) => id),
        [run.id],
      );
    });

    it('writes a receipt in pages, and lists acts newest first', async () => {
      for (let n = 0; n < 3; n += 1) await attached();
      const { id } = await begin(bulk());
      const { recipients = [] } = (await desk.fanOuts.take({ tenant, id, limit: 3 })) ?? {};
      const [one, two, three] = recipients;
      assert.ok(one && two && three);
      await desk.fanOuts.settle({
        tenant,
        id,
        results: [
          { recipient: one, state: 'done' },
          { recipient: two, state: 'skipped', reason: 'ended' },
          { recipient: three, state: 'pending' },
        ],
      });
      const page = await desk.fanOuts.receipt({ tenant, id, limit: 2 });
      const rest = await desk.fanOuts.receipt({ tenant, id, limit: 2, cursor: page.nextCursor ?? '' });
      assert.deepEqual(
        [...page.items, ...rest.items].map(({ state, reason }) => [state, reason]),
        [
          ['done', null],
          ['skipped', 'ended'],
          ['pending', null],
        ],
      );
      assert.equal(rest.nextCursor, null);
      assert.equal((await desk.fanOuts.receipt({ tenant, id, limit: 5, state: 'skipped' })).items.length, 1);
      const [again] = (await desk.fanOuts.take({ tenant, id, limit: 5 }))?.recipients ?? [];
      assert.deepEqual([again?.attachment, again?.attempts], [three.attachment, 1]);
      const second = await begin(bulk());
      assert.deepEqual(
        (await desk.fanOuts.list({ tenant, limit: 5 })).items.map((one) => one.id),
        [second.id, id],
      );
    });

    it('knows which no workflow works on', async () => {
      await attached();
      const { id } = await begin(bulk());
      const isWaiting = async (olderThanMs: number) =>
        (await desk.fanOuts.unstarted({ olderThanMs, limit: 1_000 })).some((one) => one.id === id);
      assert.deepEqual([await isWaiting(60_000), await isWaiting(-60_000)], [false, true]);
      await desk.fanOuts.markStarted({ tenant, id });
      assert.equal(await isWaiting(-60_000), false);
    });

    it('gives what a topic told during the attachment, and what came after a full queue', async () => {
      const event = await told();
      const run = await attached({ attachedAt: new Date(Date.parse(event.storedAt) - 1).toISOString() });
      const stranger = await attached({}, []);
      const late = await attachedAfter(event);
      const newsOf = async ({ id: attachment }: typeof run) =>
        (await desk.events.followedSinceAttach({ tenant, attachment, limit: 10 })).map(({ key }) => key);
      assert.deepEqual([await newsOf(run), await newsOf(stranger), await newsOf(late)], [[event.key], [], []]);
      const after = { tenant, subject: run.subject, seq: event.seq - 1, limit: 10 };
      assert.deepEqual(
        (await desk.events.after({ ...after, attachment: run.id })).map(({ key }) => key),
        [event.key],
      );
      assert.deepEqual(await desk.events.after(after), []);
      assert.deepEqual(await desk.fanOuts.topics(tenant), [{ topic: PRICES, followers: 2 }]);
    });

    it('reaches a run that was attached by a clock that is fast with what is told once its row is there', async () => {
      const run = await attached({ attachedAt: soon(60_000) });
      const event = await told();
      assert.deepEqual(await takeAll((await begin(topicTask(event))).id), [run.id]);
      const news = await desk.events.followedSinceAttach({ tenant, attachment: run.id, limit: 10 });
      assert.deepEqual(
        news.map(({ key }) => key),
        [event.key],
      );
    });
  });
