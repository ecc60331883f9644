import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Desk } from '../../src/desk/desk.ts';
import type { AttachmentId } from '../../src/domain/ids.ts';
import { parseTenantId } from '../../src/domain/ids.ts';
import { resolvePolicy } from '../../src/domain/schemas/policy.ts';
import { DATABASES, openTestDesk, type TestDesk } from '../support/desk.ts';
import { aConversation, accepted, ACME, ANSWERING, aRun, aTick, at, fact, text } from '../support/facts.ts';

for (const kind of DATABASES)
  describe(`runs on ${kind}`, () => {
    let opened: TestDesk;
    let desk: Desk;
    before(async () => {
      opened = await openTestDesk(kind);
      desk = opened.desk;
    });
    after(() => opened.close());

    async function live(over: Parameters<typeof aRun>[1] = {}) {
      const { id, subject } = aConversation();
      const run = aRun(subject, over);
      await desk.runs.insertIfAbsent(run);
      const read = () => desk.runs.get({ tenant: run.tenant, subject, slot: run.slot, id: run.id });
      return { id, subject, run, read };
    }

    it('gives back what it was given, and keeps the first of two', async () => {
      const { run, read } = await live({
        config: { questions: ['Name?'] },
        policy: resolvePolicy({}),
        nextRunWhy: 'first',
      });
      await desk.runs.insertIfAbsent({ ...run, config: {} });
      assert.deepEqual(await read(), run);
    });

    it('says that a wake-up takes a while until it is recorded, and counts it as late only when it takes too long', async () => {
      const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
      const { subject, run, read } = await live({ nextRunAt: ago(2) });
      const shown = async () => [(await read())?.phase, (await desk.runs.counts({ tenant: ACME, subject })).overdue];
      const think = async (tick: number) => desk.runs.recordThinking({ attachment: run.id, tick });
      assert.deepEqual(await shown(), ['asleep', 1]);
      await think(1);
      assert.deepEqual(await shown(), ['thinking', 0]);
      await desk.runs.recordTick({ tick: aTick(run.id, 1), run: { nextRunAt: ago(11), failures: 0 } });
      await think(1);
      assert.deepEqual(await shown(), ['asleep', 1], 'it came after the record of what it tells of');
      await think(2);
      assert.deepEqual(await shown(), ['thinking', 1], 'its worker may have died');
      await desk.runs.recordPhase({ attachment: run.id, phase: 'paused' });
      await think(2);
      assert.deepEqual(await shown(), ['paused', 0]);
    });

    it('says what holds a run up until a wake-up is recorded, counts it as late, and says it of none that has ended', async () => {
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
      const { subject, run, read } = await live({ nextRunAt: tomorrow });
      const counted = async () => (await desk.runs.counts({ tenant: ACME, subject })).overdue;
      const holdUp = async () => desk.runs.recordHeldUp({ attachment: run.id, why: 'nobody can read it' });
      assert.equal(await counted(), 0);
      await holdUp();
      assert.deepEqual([(await read())?.heldUp, await counted()], ['nobody can read it', 1]);
      assert.equal((await desk.runs.latest(run.id)).heldUp, 'nobody can read it');
      await desk.runs.recordTick({ tick: aTick(run.id, 1), run: { nextRunAt: tomorrow, failures: 0 } });
      assert.deepEqual([(await read())?.heldUp, await counted()], [undefined, 0]);
      await holdUp();
      const end = { ...run, status: 'REMOVED_BY_USER', reason: 'detached', phase: null, nextRunAt: null } as const;
      await desk.runs.recordEnd({ run: { ...end, endedAt: at('10:30:00') }, unhandled: [] });
      await holdUp();
      assert.equal((await read())?.heldUp, undefined);
    });

    it('knows what a tick was told as delivered to its own attachment, and to no other, though nobody else wrote it down', async () => {
      const { subject, run } = await live();
      const next = aRun(subject);
      await desk.runs.insertIfAbsent(next);
      const told = accepted(await desk.intake.store(fact(subject, { type: 'message.inbound', data: text('Hi') })));
      const untold = accepted(await desk.intake.store(fact(subject, { type: 'message.inbound', data: text('And?') })));
      const events = [told.event.key, 'named by whoever signalled it', randomUUID()];
      await desk.runs.recordTick({ tick: aTick(run.id, 1, { events }), run: { failures: 0 } });
      await desk.runs.recordTick({ tick: aTick(run.id, 1, { events }), run: { failures: 0 } });
      const wasDelivered = async (key: string, to: AttachmentId) => desk.events.wasDelivered(key, to);
      assert.deepEqual(
        [
          await wasDelivered(told.event.key, run.id),
          await wasDelivered(told.event.key, next.id),
          await wasDelivered(untold.event.key, run.id),
        ],
        [true, false, false],
      );
      const stranger = aRun(subject, { tenant: parseTenantId('elsewhere') });
      await desk.runs.insertIfAbsent(stranger);
      await desk.runs.recordTick({ tick: aTick(stranger.id, 1, { events }), run: { failures: 0 } });
      assert.equal(await wasDelivered(told.event.key, stranger.id), false);
    });

    it('records a tick once, and lets neither an older tick nor a tick after the end change the run', async () => {
      const { run, read } = await live();
      await desk.runs.recordTick({
        tick: aTick(run.id, 2),
        run: { state: { n: 2 }, nextRunAt: at('12:00:00'), nextRunWhy: 'two', failures: 0 },
      });
      await desk.runs.recordTick({ tick: aTick(run.id, 2), run: { state: { n: 99 }, failures: 9 } });
      await desk.runs.recordTick({ tick: aTick(run.id, 1), run: { state: { n: 1 }, failures: 1 } });
      const now = await read();
      assert.deepEqual(
        [now?.ticks, now?.state, now?.nextRunAt, now?.nextRunWhy, now?.failures],
        [2, { n: 2 }, at('12:00:00'), 'two', 0],
      );
      await desk.runs.recordEnd({
        run: { ...run, status: 'COMPLETED', reason: 'goal_reached', endedAt: at('11:00:00'), ticks: 2 },
        unhandled: [],
      });
      await desk.runs.recordTick({ tick: aTick(run.id, 3), run: { nextRunAt: at('13:00:00'), failures: 0 } });
      await desk.runs.recordPhase({ attachment: run.id, phase: 'paused' });
      assert.deepEqual(
        [(await read())?.status, (await read())?.nextRunAt, (await read())?.phase, (await read())?.ticks],
        ['COMPLETED', null, null, 2],
      );
    });

    it('promises no wake-up of a run whose end is decided and whose messages are still under way', async () => {
      const { run, read } = await live();
      const outcome = {
        kind: 'finish',
        status: 'COMPLETED',
        reason: 'goal_reached',
        effects: ['message.send'],
      } as const;
      await desk.runs.recordTick({ tick: aTick(run.id, 1, { outcome }), run: { failures: 0 } });
      const [listed] = (await desk.runs.list({ tenant: ACME, subject: run.subject, limit: 1 })).items;
      const due = await desk.runs.list({ tenant: ACME, subject: run.subject, dueBefore: at('23:00:00'), limit: 1 });
      assert.deepEqual(due.items, []);
      for (const shown of [await read(), listed])
        assert.deepEqual(
          [shown?.status, shown?.phase, shown?.nextRunAt, shown?.nextRunWhy],
          ['IN_PROGRESS', 'ending', null, null],
        );
    });

    it('believes the later of two attempts at one tick', async () => {
      const { run, read } = await live();
      const failed = { kind: 'failed', fault: 'timeout', message: 'too slow' } as const;
      await desk.runs.recordTick({
        tick: aTick(run.id, 1, { attempt: 2, startedAt: at('10:05:00') }),
        run: { state: { attempt: 2 }, failures: 0 },
      });
      await desk.runs.recordTick({
        tick: aTick(run.id, 1, { attempt: 1, startedAt: at('10:00:00'), outcome: failed }),
        run: { failures: 1 },
      });
      assert.deepEqual([(await read())?.state, (await read())?.failures], [{ attempt: 2 }, 0]);
      await desk.runs.recordTick({
        tick: aTick(run.id, 1, { attempt: 3, startedAt: at('10:06:00') }),
        run: { state: { attempt: 3 }, failures: 0 },
      });
      assert.deepEqual((await read())?.state, { attempt: 3 });
      assert.deepEqual(
        (await desk.runs.timeline(run.id)).items.map((entry) => entry.entry === 'tick' && entry.attempt),
        [3],
      );
    });

    it('lets the first of many ends win', async () => {
      const { run, read } = await live();
      const doors = [desk, await opened.another()] as const;
      const reasons = ['goal_reached', 'handed_off', 'gave_up'] as const;
      const won = await Promise.all(
        Array.from({ length: 9 }, (_, n) =>
          doors[(n % 2) as 0 | 1].runs.recordEnd({
            run: {
              ...run,
              status: 'COMPLETED',
              reason: reasons[(n % 3) as 0 | 1 | 2],
              actor: `a${n}`,
              endedAt: at('11:00:00'),
            },
            unhandled: [],
          }),
        ),
      );
      assert.equal(won.filter(Boolean).length, 1);
      assert.equal((await read())?.actor, `a${won.indexOf(true)}`);
    });

    it('records an end of a run it had not heard of', async () => {
      const { subject } = aConversation();
      const run = aRun(subject, { status: 'REMOVED_BY_SYSTEM', reason: 'lost', endedAt: at('11:00:00') });
      assert.equal(await desk.runs.recordEnd({ run, unhandled: ['e1'] }), true);
      assert.deepEqual(await desk.runs.get({ tenant: ACME, subject, slot: ANSWERING }), {
        ...run,
        phase: null,
        nextRunAt: null,
      });
    });

    it('keeps what was resolved and what was asked for', async () => {
      const { run, read } = await live();
      await desk.runs.recordPrepared({
        attachment: run.id,
        agentVersion: 3,
        config: { a: 1 },
        state: { b: 2 },
        policy: resolvePolicy({}),
        nextRunAt: at('10:30:00'),
        nextRunWhy: 'first look',
      });
      await desk.runs.recordPhase({ attachment: run.id, phase: 'paused', actor: 'Eva', comment: 'wait' });
      const now = await read();
      assert.deepEqual(
        [
          now?.agentVersion,
          now?.config,
          now?.state,
          now?.policy,
          now?.nextRunAt,
          now?.nextRunWhy,
          now?.phase,
          now?.actor,
          now?.comment,
        ],
        [3, { a: 1 }, { b: 2 }, resolvePolicy({}), at('10:30:00'), 'first look', 'paused', 'Eva', 'wait'],
      );
    });

    it('answers with the latest attachment unless one is named', async () => {
      const { subject } = aConversation();
      const first = aRun(subject, {
        attachedAt: at('08:00:00'),
        status: 'COMPLETED',
        reason: 'gave_up',
        endedAt: at('09:00:00'),
        phase: null,
        nextRunAt: null,
      });
      const second = aRun(subject, { attachedAt: at('09:30:00') });
      await desk.runs.insertIfAbsent(second);
      await desk.runs.insertIfAbsent(first);
      const get = (id?: string) =>
        desk.runs.get({ tenant: ACME, subject, slot: ANSWERING, ...(id !== undefined && { id }) });
      assert.equal((await get())?.id, second.id);
      assert.equal((await get(first.id))?.id, first.id);
      assert.equal(await get('no-such'), null);
      assert.equal(
        await desk.runs.get({ tenant: parseTenantId('globex'), subject, slot: ANSWERING, id: first.id }),
        null,
      );
      assert.deepEqual(
        (await desk.runs.liveOn(ACME, subject)).map(({ id }) => id),
        [second.id],
      );
    });

    it('gives the runs that were checked longest ago to the reconciler first, and none again at once', async () => {
      await desk.runs.liveUnchecked(1_000);
      const a = await live();
      const b = await live();
      assert.deepEqual(new Set((await desk.runs.liveUnchecked(2)).map(({ id }) => id)), new Set([a.run.id, b.run.id]));
      assert.deepEqual(await desk.runs.liveUnchecked(1_000), []);
    });
  });
