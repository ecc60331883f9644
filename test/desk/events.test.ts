import assert from 'node:assert/strict';
import type { Desk } from '../../src/desk/desk.ts';
import type { AttachmentId } from '../../src/domain/ids.ts';
import { parseTenantId } from '../../src/domain/ids.ts';
import { DATABASES, openTestDesk, type TestDesk } from '../support/desk.ts';
import { aClaim, aConversation, accepted, ACME, aRun, at, fact, text } from '../support/facts.ts';

for (const kind of DATABASES)
  describe(`events on ${kind}`, () => {
    let opened: TestDesk;
    let desk: Desk;
    before(async () => {
      opened = await openTestDesk(kind);
      desk = opened.desk;
    });
    after(() => opened.close());

    const inbound = async (subject: ReturnType<typeof aConversation>['subject'], time: string, words = 'Hi') =>
      accepted(await desk.intake.store(fact(subject, { type: 'message.inbound', time, data: text(words) }))).event;

    it('gives what a crash left undelivered, with what it means, until it has been delivered', async () => {
      const { subject } = aConversation();
      const typed = accepted(
        await desk.intake.store(fact(subject, { type: 'message.outbound', data: { ...text('me'), by: 'Eva' } })),
      );
      const mine = async (olderThanMs = 0) =>
        (await desk.events.undelivered({ olderThanMs, limit: 1_000 })).filter((event) => event.subject === subject);
      assert.deepEqual(await mine(), [
        {
          ...typed.event,
          ownEcho: false,
          humanTookOver: { cause: 'human_replied', actor: 'Eva' },
          optOut: false,
          requeues: 0,
        },
      ]);
      assert.deepEqual(await mine(60_000), []);
      const attachment = 'run-1' as AttachmentId;
      assert.equal(await desk.events.wasDelivered(typed.event.key, attachment), false);
      await desk.events.markDelivered(typed.event.key, [attachment]);
      await desk.events.markDelivered(typed.event.key, [attachment, 'run-2' as AttachmentId]);
      assert.equal(await desk.events.wasDelivered(typed.event.key, attachment), true);
      assert.equal(await desk.events.wasDelivered(typed.event.key, 'run-3' as AttachmentId), false);
      assert.equal(await desk.events.wasDelivered('no key', attachment), false);
      assert.deepEqual(await mine(), []);
    });

    it('leaves stored what was given back while an earlier delivery was under way', async () => {
      const { subject } = aConversation();
      const item = fact(subject, { type: 'message.inbound', data: text('Hi') });
      const stored = accepted(await desk.intake.store(item));
      const status = async () => (await desk.events.get(ACME, stored.event.key))?.status;
      const again = await desk.events.requeue(ACME, stored.event.key);
      await desk.events.markDelivered(stored.event.key, []);
      assert.equal(await status(), 'stored');
      await desk.events.markDelivered(stored.event.key, [], again?.requeues);
      assert.equal(await status(), 'delivered');
    });

    it('is dead after ten failed deliveries, or at once when told so, and alive again when an operator says so', async () => {
      const { subject } = aConversation();
      const { key, id } = await inbound(subject, at('10:00:00'));
      const results: string[] = [];
      for (let n = 0; n < 10; n++) results.push(await desk.events.markFailed(key, `try ${n}`));
      assert.deepEqual(results, [...Array<string>(9).fill('stored'), 'dead']);
      assert.deepEqual(
        [(await desk.events.get(ACME, id))?.attempts, (await desk.events.get(ACME, id))?.problem],
        [10, 'try 9'],
      );
      assert.equal((await desk.events.requeue(ACME, id))?.key, key);
      assert.deepEqual(
        [(await desk.events.get(ACME, key))?.status, (await desk.events.get(ACME, key))?.attempts],
        ['stored', 0],
      );
      assert.equal(await desk.events.markFailed(key, 'hopeless', { dead: true }), 'dead');
      assert.equal(await desk.events.requeue(parseTenantId('globex'), id), null);
      assert.equal(await desk.events.requeue(ACME, 'no-such'), null);
    });

    it('forgets a dropped event everywhere but as a duplicate', async () => {
      const { subject } = aConversation();
      const item = fact(subject, { type: 'message.inbound', data: text('Hi') });
      const { event } = accepted(await desk.intake.store(item));
      assert.equal(await desk.events.drop(parseTenantId('globex'), event.id), false);
      const delivered = accepted(
        await desk.intake.store(fact(subject, { type: 'message.inbound', data: text('Yes') })),
      );
      await desk.events.markDelivered(delivered.event.key, []);
      assert.equal(await desk.events.drop(ACME, delivered.event.id), false, 'what was delivered is on record');
      assert.equal(await desk.events.drop(ACME, event.id), true);
      assert.equal(await desk.events.drop(ACME, event.id), false);
      assert.equal(await desk.events.get(ACME, event.id), null);
      const left = await desk.events.after({ tenant: ACME, subject, seq: 0, limit: 10 });
      assert.deepEqual(
        left.map(({ id }) => id),
        [delivered.event.id],
      );
      assert.equal((await desk.intake.store(item)).result, 'duplicate');
    });

    it('lists newest first, page by page, by status and subject', async () => {
      const { subject } = aConversation();
      const stored = [
        await inbound(subject, at('10:00:00')),
        await inbound(subject, at('10:00:01')),
        await inbound(subject, at('10:00:02')),
      ];
      await desk.events.markStale(stored[2]?.key ?? '');
      const first = await desk.events.list({ tenant: ACME, subject, status: 'stored', limit: 2 });
      assert.deepEqual(
        first.items.map(({ key, stale }) => [key, stale]),
        [
          [stored[2]?.key, true],
          [stored[1]?.key, false],
        ],
      );
      const second = await desk.events.list({ tenant: ACME, subject, limit: 2, cursor: first.nextCursor ?? '' });
      assert.deepEqual([second.items.map(({ key }) => key), second.nextCursor], [[stored[0]?.key], null]);
      assert.deepEqual((await desk.events.list({ tenant: parseTenantId('globex'), subject, limit: 2 })).items, []);
    });

    it('loads in order of storing, whatever the order and sense of the keys', async () => {
      const { subject } = aConversation();
      const [a, b] = [await inbound(subject, at('10:00:01')), await inbound(subject, at('10:00:00'))];
      assert.deepEqual(await desk.events.load([b.key, 'nonsense', '00000000-0000-4000-8000-000000000000', a.key]), [
        a,
        b,
      ]);
      assert.deepEqual(await desk.events.load([]), []);
    });

    it('counts as unanswered what came since our last answer, also when it reached us late', async () => {
      const { subject } = aConversation();
      const unanswered = async () =>
        (await desk.events.unanswered({ tenant: ACME, subject, limit: 10 })).map((event) => event.time);
      await inbound(subject, at('10:00:00'));
      const claim = aClaim(aRun(subject), { kind: 'message.send', text: 'Yes?' });
      await desk.ledger.claim(claim);
      await desk.ledger.sent({ key: claim.key, providerId: null, at: at('10:00:05.200') });
      assert.deepEqual(await unanswered(), []);
      // WhatsApp tells whole seconds: this was written at 10:00:05.9.
      await inbound(subject, at('10:00:05'));
      await inbound(subject, at('10:00:07'));
      assert.deepEqual(await unanswered(), [at('10:00:05'), at('10:00:07')]);
      await desk.intake.store(
        fact(subject, {
          type: 'message.outbound',
          time: at('10:00:08'),
          data: { ...text('robot'), author: 'automation' },
        }),
      );
      await desk.intake.store(
        fact(subject, { type: 'message.outbound', time: at('10:00:08'), data: { ...text('note'), private: true } }),
      );
      await desk.intake.store(
        fact(subject, { type: 'message.outbound', time: at('10:00:06'), data: text('an old reply, told late') }),
      );
      assert.deepEqual(await unanswered(), [at('10:00:07')]);
      await desk.intake.store(fact(subject, { type: 'message.outbound', time: at('10:00:09'), data: text('me') }));
      assert.deepEqual(await unanswered(), []);
    });

    it('counts nothing as unanswered that was said before a close, also once the conversation is open again', async () => {
      const { subject } = aConversation();
      await inbound(subject, at('10:00:00'), 'anybody?');
      await desk.intake.store(
        fact(subject, { type: 'conversation.closed', time: at('10:00:05'), data: { by: 'Eva' } }),
      );
      await inbound(subject, at('10:00:10'), 'another matter');
      await inbound(subject, at('10:00:04'), 'told late');
      const unanswered = await desk.events.unanswered({ tenant: ACME, subject, limit: 10 });
      assert.deepEqual(
        unanswered.map(({ time }) => time),
        [at('10:00:10')],
      );
    });

    it('pages back through a transcript, oldest first on each page', async () => {
      const { id, subject } = aConversation();
      for (let n = 0; n < 5; n++) await inbound(subject, at('10:00:00'), `m${n}`);
      const newest = await desk.conversations.messages({ tenant: ACME, conversation: id, limit: 2 });
      const older = await desk.conversations.messages({
        tenant: ACME,
        conversation: id,
        limit: 3,
        cursor: newest.nextCursor ?? '',
      });
      assert.deepEqual(
        [newest, older].map(({ items }) => items.map((message) => message.text)),
        [
          ['m3', 'm4'],
          ['m0', 'm1', 'm2'],
        ],
      );
      assert.equal(older.nextCursor, null);
    });
  });
