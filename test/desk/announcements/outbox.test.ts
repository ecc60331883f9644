import assert from 'node:assert/strict';
import type { Desk, RunRecord } from '../../../src/desk/desk.ts';
import { parseTenantId } from '../../../src/domain/ids.ts';
import { Notice } from '../../../src/domain/schemas/notices.ts';
import { DATABASES, openTestDesk, type TestDesk } from '../../support/desk.ts';
import { aClaim, aConversation, ACME, aRun, at, channelFact } from '../../support/facts.ts';

const OTHER = parseTenantId('other');
const ATTEMPT = { at: at('10:00:00'), durationMs: 12, status: 500, error: 'HTTP 500' } as const;

for (const kind of DATABASES)
  describe(`outbox on ${kind}`, () => {
    let opened: TestDesk;
    let desk: Desk;
    before(async () => {
      const ends = (type: string) => (type === 'run.ended' ? ['crm', 'ends'] : ['crm']);
      opened = await openTestDesk(kind, { subscribers: (tenant, type) => (tenant === ACME ? ends(type) : []) });
      desk = opened.desk;
    });
    after(() => opened.close());

    const ended = (run: RunRecord, over: Partial<RunRecord> = {}): RunRecord => ({
      ...run,
      status: 'COMPLETED',
      reason: 'goal_reached',
      phase: null,
      endedAt: at('11:00:00'),
      ...over,
    });
    async function told(run: RunRecord) {
      const { items } = await desk.outbox.list({ tenant: run.tenant, limit: 200 });
      const here = items.filter(({ subject }) => subject === run.subject).reverse();
      return Promise.all(here.map(async ({ id }) => bodyOf(id)));
    }
    async function bodyOf(id: string) {
      const found = await desk.outbox.get(ACME, id);
      assert.ok(found !== null);
      return { ...found, notice: Notice.parse(JSON.parse(found.body)) };
    }
    async function anEnd() {
      const run = aRun(aConversation().subject);
      await desk.runs.recordEnd({ run: ended(run), unhandled: [] });
      const [first] = await told(run);
      assert.ok(first !== undefined);
      return { run, id: first.id, round: first.round, tenant: ACME };
    }
    const mine = async (id: string) => (await desk.outbox.takeUnstarted(200)).find((one) => one.id === id);

    it('tells an attach and an end once, to those that asked, however often they are written', async () => {
      const run = aRun(aConversation().subject);
      await desk.runs.insertIfAbsent(run);
      await desk.runs.insertIfAbsent(run);
      await desk.runs.recordEnd({ run: ended(run), unhandled: [] });
      await desk.runs.recordEnd({ run: ended(run), unhandled: [] });
      const notices = await told(run);
      assert.deepEqual(
        notices.map(({ type, endpoint, state }) => [type, endpoint, state]),
        [
          ['run.attached', 'crm', 'pending'],
          ['run.ended', 'crm', 'pending'],
          ['run.ended', 'ends', 'pending'],
        ],
      );
      for (const { id, notice } of notices) assert.equal(notice.id, id);
    });

    it('tells how the run stands and where to read more, and none of the words that are in its comment, config or state', async () => {
      const run = aRun(aConversation().subject, { config: { a: 'secret-1' }, state: { b: 'secret-2' } });
      await desk.runs.insertIfAbsent(run);
      await desk.runs.recordEnd({ run: ended(run, { comment: 'secret-3' }), unhandled: [] });
      const [, end] = await told(run);
      assert.ok(end !== undefined && 'run' in end.notice.data);
      const { id, status, reason, endedAt } = end.notice.data.run;
      assert.deepEqual([id, status, reason, endedAt], [run.id, 'COMPLETED', 'goal_reached', at('11:00:00')]);
      assert.equal(end.notice.time, at('11:00:00'));
      assert.doesNotMatch(end.body, /secret/);
      assert.ok(Buffer.byteLength(end.body) < 20_000);
    });

    it('tells an end by a human under the name of a takeover too', async () => {
      const run = aRun(aConversation().subject);
      const taken = ended(run, { status: 'EXITED_ON_OUTBOUND', reason: 'taken_over', actor: 'ana' });
      await desk.runs.recordEnd({ run: taken, unhandled: [] });
      const types = (await told(run)).filter(({ endpoint }) => endpoint === 'crm').map(({ type }) => type);
      assert.deepEqual(types, ['run.ended', 'run.tookOver']);
    });

    it('tells an effect that failed for good, and by its own name a person who cannot be reached; what was refused or taken back it does not', async () => {
      const run = aRun(aConversation().subject);
      const claims = (['failed', 'refused', 'failed', 'given_up', 'cancelled'] as const).map((state, n) => ({
        state,
        claim: aClaim(
          run,
          n === 0
            ? { kind: 'conversation.handOff', note: 'words of ours' }
            : { kind: 'message.send', text: 'words of ours' },
          n,
        ),
      }));
      for (const [n, { state, claim }] of claims.entries()) {
        await desk.ledger.claim(claim);
        const end = { key: claim.key, state, reason: `because ${n}`, unreachable: n === 2 };
        await desk.ledger.settle(end);
        await desk.ledger.settle(end);
      }
      const notices = await told(run);
      assert.deepEqual(
        notices.map(({ notice: { type, data } }) => [
          type,
          'effect' in data && `${data.effect.kind} ${data.effect.reason}`,
        ]),
        [
          ['effect.failed', 'conversation.handOff because 0'],
          ['effect.failed', 'message.send because 2'],
          ['message.unreachable', 'message.send because 2'],
          ['effect.failed', 'message.send because 3'],
        ],
      );
      assert.doesNotMatch(notices.map(({ body }) => body).join(), /words of ours/);
    });

    it('tells, once, a message that the provider took and could not bring, and shuts a channel that it says is shut', async () => {
      const channel = 'whatsapp:131042';
      const { id, subject } = aConversation();
      await desk.conversations.ensure({ tenant: ACME, id, channel, contact: { address: '5511900131042' } });
      const run = aRun(subject);
      const claim = aClaim(run, { kind: 'message.send', text: 'Hello' });
      await desk.ledger.claim(claim);
      await desk.ledger.sent({ key: claim.key, providerId: 'w.131042', at: at('10:00:00') });
      const error = { code: '131042', message: 'no payment method', failure: 'unauthorized' };
      const data = { providerId: 'w.131042', reference: claim.reference, status: 'failed', error };
      for (const time of [at('10:00:01'), at('10:00:02')])
        await desk.intake.store(channelFact('someone', { type: 'message.status', time, data }, channel));
      const notices = await told(run);
      assert.deepEqual(
        notices.map(({ notice: { type, data } }) => [type, 'effect' in data && data.effect.reason]),
        [['effect.failed', 'unauthorized: 131042']],
      );
      const shut = await desk.shutChannels.list(ACME);
      assert.deepEqual(
        shut.map(({ channel, code }) => [channel, code]),
        [['whatsapp:131042', '131042']],
      );
    });

    it('tells nothing that was rolled back with its fact, and nobody who did not ask', async () => {
      const run = { ...aRun(aConversation().subject), tenant: OTHER };
      await desk.runs.recordEnd({ run: ended(run), unhandled: [] });
      assert.deepEqual((await desk.outbox.list({ tenant: OTHER, limit: 10 })).items, []);
      const broken = { ...ended(aRun(aConversation().subject)), ticks: 'many' as unknown as number };
      await assert.rejects(desk.runs.recordEnd({ run: broken, unhandled: [] }));
      assert.deepEqual(await told(broken), []);
    });

    it('hands each delivery to one of several that ask, and again only when that one does not start it', async () => {
      const { id, round, tenant } = await anEnd();
      const doors = [desk, await opened.another()];
      const takes = await Promise.all(doors.map((door) => door.outbox.takeUnstarted(200)));
      const taken = takes.flat().filter((one) => one.id === id);
      assert.deepEqual(taken, [{ id, round, tenant, isNew: true }]);
      assert.equal(await mine(id), undefined);
      await desk.outbox.markStarted({ id, round, tenant });
      assert.equal(await mine(id), undefined);
    });

    it('keeps every attempt, and what is due next', async () => {
      const of = await anEnd();
      const then = { state: 'pending', nextAttemptAt: at('10:00:05') } as const;
      await desk.outbox.recordAttempt({ ...of, attempt: ATTEMPT, then });
      const waiting = await bodyOf(of.id);
      assert.deepEqual([waiting.state, waiting.attempts, waiting.nextAttemptAt], ['pending', 1, at('10:00:05')]);
      const taken = { ...ATTEMPT, status: 200, error: null };
      await desk.outbox.recordAttempt({ ...of, attempt: taken, then: { state: 'delivered' } });
      await desk.outbox.recordAttempt({ ...of, attempt: ATTEMPT, then: { state: 'failed' } });
      const done = await bodyOf(of.id);
      assert.deepEqual([done.state, done.attempts, done.nextAttemptAt, done.lastStatus], ['delivered', 2, null, 200]);
      assert.deepEqual(
        done.log.map(({ number, status, error }) => [number, status, error]),
        [
          [1, 500, 'HTTP 500'],
          [2, 200, null],
        ],
      );
    });

    it('starts a redelivery anew, and lets the round before change nothing more', async () => {
      const of = await anEnd();
      await mine(of.id);
      await desk.outbox.markStarted(of);
      await desk.outbox.recordAttempt({ ...of, attempt: ATTEMPT, then: { state: 'failed' } });
      assert.equal((await desk.outbox.redeliver(ACME, of.id))?.state, 'pending');
      await desk.outbox.recordAttempt({ ...of, attempt: ATTEMPT, then: { state: 'failed' } });
      assert.equal((await bodyOf(of.id)).state, 'pending');
      assert.deepEqual(await mine(of.id), { tenant: ACME, id: of.id, round: 1, isNew: true });
      assert.equal(await desk.outbox.redeliver(OTHER, of.id), null);
    });

    it('holds what is for an endpoint that said it is gone, and what it said so to, until it is switched on', async () => {
      const of = await anEnd();
      await desk.outbox.recordAttempt({ ...of, attempt: ATTEMPT, then: { state: 'held' } });
      const [off] = await desk.outbox.endpointsOff(ACME);
      assert.deepEqual([off?.endpoint, off?.by], ['crm', 'endpoint']);
      const { id } = await anEnd();
      assert.equal((await bodyOf(id)).state, 'held');
      assert.equal(await mine(id), undefined);
      assert.equal(await desk.outbox.switchOn({ tenant: ACME, endpoint: 'crm', redeliverHeld: true }), 2);
      assert.deepEqual(await desk.outbox.endpointsOff(ACME), []);
      assert.ok((await mine(id)) !== undefined);
    });

    it('lists newest first, by state and endpoint, page by page', async () => {
      const { id, run } = await anEnd();
      const { items, nextCursor } = await desk.outbox.list({ tenant: ACME, limit: 1 });
      assert.deepEqual([items[0]?.subject, items[0]?.endpoint], [run.subject, 'ends']);
      assert.ok(nextCursor !== null);
      const next = await desk.outbox.list({ tenant: ACME, limit: 1, cursor: nextCursor });
      assert.equal(next.items[0]?.id, id);
      const delivered = await desk.outbox.list({ tenant: ACME, status: 'delivered', endpoint: 'ends', limit: 10 });
      assert.deepEqual(delivered.items, []);
    });
  });
