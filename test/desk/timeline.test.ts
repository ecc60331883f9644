import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Desk, TickRecord } from '../../src/desk/desk.ts';
import type { AttachmentId } from '../../src/domain/ids.ts';
import { DATABASES, openTestDesk, type TestDesk } from '../support/desk.ts';
import { aClaim, aConversation, accepted, ACME, ANSWERING, aRun, aTick, at, fact, text } from '../support/facts.ts';

for (const kind of DATABASES)
  describe(`the timeline of a run on ${kind}`, () => {
    let opened: TestDesk;
    let desk: Desk;
    before(async () => {
      opened = await openTestDesk(kind);
      desk = opened.desk;
    });
    after(() => opened.close());

    it('is read page by page, the newest first, each entry once and under one id', async () => {
      const { subject } = aConversation();
      const run = aRun(subject);
      await desk.runs.insertIfAbsent(run);
      for (let n = 1; n <= 4; n += 1) {
        await desk.intake.store(
          fact(subject, { type: 'message.inbound', time: at(`10:0${n}:00`), data: text(`m${n}`) }),
        );
        await desk.runs.recordTick({ tick: aTick(run.id, n), run: { failures: 0 } });
      }
      const whole = await desk.runs.timeline(run.id);
      assert.deepEqual([whole.items.length, whole.nextCursor], [8, null]);
      const read: string[] = [];
      let cursor: string | undefined;
      for (let pages = 0; pages < 9; pages += 1) {
        const page = await desk.runs.timeline(run.id, { limit: 3, ...(cursor === undefined ? {} : { cursor }) });
        read.unshift(...page.items.map(({ entryId }) => entryId));
        if (page.nextCursor === null) break;
        cursor = page.nextCursor;
      }
      assert.deepEqual(
        read,
        whole.items.map(({ entryId }) => entryId),
      );
      assert.equal(new Set(read).size, 8);
    });

    it('says when a message was sent, delivered and read, whatever the order of its statuses', async () => {
      const { id, subject } = aConversation();
      const run = aRun(subject);
      await desk.runs.insertIfAbsent(run);
      await desk.intake.store(
        fact(subject, { type: 'message.inbound', data: { ...text('hi'), contact: { address: id } } }),
      );
      const claim = aClaim(run, { kind: 'message.send', text: 'hello', proactive: false });
      await desk.ledger.claim(claim);
      await desk.ledger.beginSending(claim.key, claim.attempt, 'claimed');
      await desk.ledger.sent({ key: claim.key, providerId: 'p-1', at: at('10:05:00') });
      for (const [status, time] of [
        ['read', '10:07:00'],
        ['delivered', '10:06:00'],
        ['delivered', '10:09:00'],
      ] as const)
        await desk.intake.store(
          fact(subject, { type: 'message.status', time: at(time), data: { providerId: 'p-1', status } }),
        );
      const { items } = await desk.runs.timeline(run.id);
      const sent = items.find((entry) => entry.entry === 'effect');
      assert.deepEqual(
        [sent?.status, sent?.sentAt, sent?.deliveredAt, sent?.readAt],
        ['read', at('10:05:00'), at('10:06:00'), at('10:07:00')],
      );
    });

    it('tells no tick whose events another one consumed, or nobody: it was overtaken as it was written down', async () => {
      const run = aRun(aConversation().subject);
      await desk.runs.insertIfAbsent(run);
      const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
      const ticks: readonly Partial<TickRecord>[] = [
        { events: [first], outcome: { kind: 'failed', fault: 'error', message: 'no' } },
        { events: [first] },
        { events: [first, second] },
        { events: [third] },
      ];
      for (const [n, over] of ticks.entries())
        await desk.runs.recordTick({ tick: aTick(run.id, n + 1, over), run: { failures: 0 } });
      const told = async () =>
        (await desk.runs.timeline(run.id)).items.flatMap((one) => (one.entry === 'tick' ? [one.tick] : []));
      assert.deepEqual(await told(), [1, 3, 4]);
      const ended = { ...run, status: 'EXITED_ON_OUTBOUND', reason: 'human_replied', endedAt: at('11:00:00') } as const;
      await desk.runs.recordEnd({ run: ended, unhandled: [third] });
      assert.deepEqual(await told(), [1, 3]);
    });

    it('tells a run as one story', async () => {
      const { id, subject } = aConversation();
      const early = accepted(
        await desk.intake.store(
          fact(subject, { type: 'message.inbound', time: at('09:59:00'), data: text('Anybody?') }),
        ),
      );
      const run = aRun(subject, { attachedAt: at('10:00:00') });
      await desk.runs.insertIfAbsent(run);
      await desk.acts.record({
        tenant: ACME,
        subject,
        slot: ANSWERING,
        attachment: run.id,
        act: 'attach',
        actor: 'Eva',
        comment: null,
        at: at('10:00:00'),
      });
      await desk.events.markDelivered(early.event.key, [run.id]);
      await desk.runs.recordTick({ tick: aTick(run.id, 1, { events: [early.event.key] }), run: { failures: 0 } });
      const claim = aClaim(run, { kind: 'message.send', text: 'Hello!' });
      await desk.ledger.claim(claim);
      await desk.ledger.sent({ key: claim.key, providerId: 'w.1', at: at('10:02:00') });
      accepted(
        await desk.intake.store(
          fact(subject, {
            type: 'message.outbound',
            time: at('10:02:00'),
            data: { ...text('Hello!'), reference: claim.reference },
          }),
        ),
      );
      accepted(
        await desk.intake.store(
          fact(subject, { type: 'message.status', time: at('10:02:01'), data: { providerId: 'w.1', status: 'read' } }),
        ),
      );
      accepted(
        await desk.intake.store(
          fact(subject, { type: 'message.outbound', time: at('10:03:00'), data: text('I take this') }),
        ),
      );
      await desk.runs.recordEnd({
        run: { ...run, status: 'EXITED_ON_OUTBOUND', reason: 'human_replied', actor: 'human', endedAt: at('10:03:00') },
        unhandled: [],
      });
      accepted(
        await desk.intake.store(fact(subject, { type: 'message.inbound', time: at('10:04:00'), data: text('Thanks') })),
      );
      assert.ok(await desk.conversations.get(ACME, id));
      const told = (await desk.runs.timeline(run.id)).items.map((entry) => {
        switch (entry.entry) {
          case 'event':
            return `${entry.type}: ${entry.text}`;
          case 'act':
            return `${entry.act} by ${entry.actor}`;
          case 'tick':
            return `tick ${entry.tick}`;
          case 'effect':
            return `${entry.kind}: ${entry.text}, ${entry.state}, ${entry.status}`;
          case 'end':
            return `${entry.status}: ${entry.reason}`;
        }
      });
      assert.deepEqual(told, [
        'message.inbound: Anybody?',
        'attach by Eva',
        'tick 1',
        'message.send: Hello!, sent, read',
        'message.outbound: I take this',
        'EXITED_ON_OUTBOUND: human_replied',
      ]);
      assert.deepEqual((await desk.runs.timeline('nobody' as AttachmentId)).items, []);
    });
  });
