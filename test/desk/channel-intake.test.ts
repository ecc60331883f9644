import assert from 'node:assert/strict';
import type { Desk } from '../../src/desk/desk.ts';
import { BUSINESS, conversationOf, type ConversationId, type Subject } from '../../src/domain/ids.ts';
import { DATABASES, openTestDesk, type TestDesk } from '../support/desk.ts';
import { accepted, ACME, aClaim, aRun, at, channelFact, fact, text } from '../support/facts.ts';

for (const kind of DATABASES)
  describe(`intake from channels that know people on ${kind}`, () => {
    let opened: TestDesk;
    let desk: Desk;
    before(async () => {
      opened = await openTestDesk(kind);
      desk = opened.desk;
    });
    after(() => opened.close());

    const hello = async (address: string, over: object = {}) =>
      accepted(await desk.intake.store(channelFact(address, { type: 'message.inbound', data: text('Hi'), ...over })));
    const conversationIn = ({ event }: { event: { subject?: string | undefined } }) =>
      conversationOf(event.subject as typeof BUSINESS) as ConversationId;

    it('opens a conversation at the first message of a person, and says so with an event', async () => {
      const first = await hello('551190001', { ref: { name: 'Ana' } });
      const id = conversationIn(first);
      assert.match(id, /^c[0-9a-f]{20}$/);
      assert.deepEqual(
        [first.opened?.type, first.opened?.source, first.opened?.id],
        ['conversation.opened', 'desk', `opened:${id}`],
      );
      assert.ok((first.opened?.seq ?? Infinity) < first.event.seq);
      const conversation = await desk.conversations.get(ACME, id);
      assert.deepEqual(
        [conversation?.channel, conversation?.owner, conversation?.contact?.address, conversation?.contact?.name],
        ['whatsapp:100', 'none', '551190001', 'Ana'],
      );
      const second = await hello('551190001', { time: at('10:05:00') });
      assert.deepEqual([conversationIn(second), second.opened], [id, null]);
    });

    it('opens one conversation for two first messages that come at once', async () => {
      const doors = [desk, await opened.another()] as const;
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          doors[(n % 2) as 0 | 1].intake.store(
            channelFact('551190002', { type: 'message.inbound', data: text(`m${n}`) }),
          ),
        ),
      );
      assert.equal(new Set(results.map((result) => accepted(result).event.subject)).size, 1);
      assert.equal(results.filter((result) => accepted(result).opened !== null).length, 1);
    });

    it('knows a person by any of their names, and answers to the latest', async () => {
      const first = await hello('5531980000001', { ref: { aliases: ['553180000001', 'BR.123'] } });
      const second = await hello('553180000001', { time: at('10:01:00') });
      const third = await hello('BR.123', { time: at('10:02:00') });
      assert.deepEqual([conversationIn(second), conversationIn(third)], [conversationIn(first), conversationIn(first)]);
      assert.equal((await desk.conversations.get(ACME, conversationIn(first)))?.contact?.address, 'BR.123');
    });

    it('follows a person who changes number and user id, writes to the new ones, and knows them by either', async () => {
      const of = (address: string, event: object, clock: string) =>
        desk.intake.store(channelFact(address, { ...event, time: at(clock) } as Parameters<typeof channelFact>[1]));
      const first = accepted(await of('5531980000777', { type: 'message.inbound', data: text('Oi') }, '10:00:00'));
      await of('5531980000777', { type: 'contact.updated', data: { address: '5531980000778' } }, '10:00:01');
      await of('5531980000778', { type: 'contact.updated', data: { address: 'BR.778' } }, '10:00:02');
      const id = conversationOf(first.event.subject as Subject);
      assert.ok(id !== undefined);
      assert.equal((await desk.conversations.get(ACME, id))?.contact?.address, 'BR.778');
      for (const name of ['BR.778', '5531980000778', '5531980000777']) {
        const again = accepted(await of(name, { type: 'message.inbound', data: text('me') }, '10:00:03'));
        assert.deepEqual([again.event.subject, again.opened], [first.event.subject, null]);
      }
    });

    describe('what a person decides about marketing', () => {
      const prefers = async (address: string, marketing: string, clock: string, channel?: string) =>
        accepted(
          await desk.intake.store(
            channelFact(address, { type: 'contact.updated', data: { marketing }, time: at(clock) }, channel),
          ),
        );
      const stoppedIn = async (id: ConversationId) =>
        (await desk.conversations.get(ACME, id))?.contact?.marketingStoppedAt ?? null;

      it('holds from the stop to the resumption, in whatever order and however often they are told', async () => {
        const id = conversationIn(await hello('5531980000801'));
        const steps = [
          ['stopped', '10:00:10', at('10:00:10')],
          ['stopped', '10:00:12', at('10:00:10')],
          ['resumed', '10:00:11', at('10:00:10')],
          ['resumed', '10:00:12', at('10:00:10')],
          ['resumed', '10:00:20', null],
          ['stopped', '10:00:19', null],
          ['stopped', '10:00:30', at('10:00:30')],
          ['resumed', '10:00:20', at('10:00:30')],
        ] as const;
        for (const [marketing, clock, since] of steps) {
          await prefers('5531980000801', marketing, clock);
          assert.equal(await stoppedIn(id), since, `${marketing} at ${clock}`);
        }
        await hello('5531980000801', { data: text('start'), time: at('10:01:00') });
        assert.equal(await stoppedIn(id), at('10:00:30'), 'a word of opt-in is another matter');
      });

      it('holds where nobody has spoken with them yet, and in conversations by other numbers', async () => {
        const told = await prefers('5531980000802', 'stopped', '09:00:00');
        assert.equal(told.event.subject, BUSINESS);
        const first = conversationIn(await hello('5531980000802'));
        await prefers('5531980000802', 'stopped', '09:00:00', 'whatsapp:200');
        assert.equal(await stoppedIn(first), at('09:00:00'));
        await prefers('5531980000802', 'resumed', '10:30:00', 'whatsapp:200');
        assert.equal(await stoppedIn(first), null);
      });

      it('is learnt from a message that did not arrive for it, unless they have resumed since', async () => {
        const first = await hello('5531980000803');
        const id = conversationIn(first);
        const run = aRun(first.event.subject as Subject);
        const claim = aClaim(run, { kind: 'message.send', text: 'An offer', proactive: true });
        await desk.ledger.claim(claim);
        await desk.ledger.sent({ key: claim.key, providerId: 'w.offer', at: at('10:00:01') });
        const error = { code: '131050', message: 'stopped', failure: 'marketing_stopped' };
        const data = { providerId: 'w.offer', reference: claim.reference, status: 'failed', error };
        const failed = (clock: string) =>
          desk.intake.store(channelFact('x', { type: 'message.status', time: at(clock), data }));
        await failed('10:00:02');
        assert.equal(await stoppedIn(id), at('10:00:02'));
        await prefers('5531980000803', 'resumed', '10:00:09');
        await failed('10:00:08');
        assert.equal(await stoppedIn(id), null);
      });

      it('is told by the API too', async () => {
        const { event } = await hello('5531980000804');
        const told = { type: 'contact.updated', time: at('11:00:00'), data: { marketing: 'stopped' } };
        await desk.intake.store(fact(event.subject as Subject, told));
        assert.equal(await stoppedIn(conversationIn({ event })), at('11:00:00'));
      });
    });

    it('gives the conversation of a person nobody knew to the human who is said to hold their thread, before they write', async () => {
      const held = channelFact('5531980000900', { type: 'conversation.assigned', data: { to: 'human', by: 'other' } });
      const first = accepted(await desk.intake.store(held));
      const copy = accepted(
        await desk.intake.store(channelFact('5531980000900', { type: 'message.inbound', data: text('Hi') })),
      );
      assert.deepEqual([copy.event.subject, copy.opened], [first.event.subject, null]);
      const id = conversationOf(first.event.subject as Subject);
      assert.ok(id !== undefined);
      assert.equal((await desk.conversations.get(ACME, id))?.owner, 'human');

      await desk.conversations.close({ tenant: ACME, id, at: at('11:00:00') });
      const later = channelFact('5531980000900', {
        type: 'conversation.assigned',
        data: { to: 'human' },
        time: at('12:00:00'),
      });
      const anew = accepted(await desk.intake.store(later));
      assert.notEqual(anew.event.subject, first.event.subject);
      const next = conversationOf(anew.event.subject as Subject);
      assert.ok(next !== undefined);
      assert.equal((await desk.conversations.get(ACME, next))?.owner, 'human');
    });

    it('keeps conversations of two numbers of the business, and of two tenants, apart', async () => {
      const first = await hello('551190003');
      const other = accepted(
        await desk.intake.store(
          channelFact('551190003', { type: 'message.inbound', data: text('Hi') }, 'whatsapp:200'),
        ),
      );
      const foreign = accepted(
        await desk.intake.store({
          ...channelFact('551190003', { type: 'message.inbound', data: text('Hi') }),
          tenant: 'globex' as typeof ACME,
        }),
      );
      assert.equal(new Set([first, other, foreign].map(conversationIn)).size, 3);
      const [a, b] = await Promise.all(
        [first, other].map((result) => desk.conversations.get(ACME, conversationIn(result))),
      );
      assert.equal(a?.contact?.id, b?.contact?.id);
    });

    it('opens another conversation after a close, but puts a late message where it belongs', async () => {
      const first = await hello('551190004', { time: at('10:00:00') });
      await desk.conversations.close({ tenant: ACME, id: conversationIn(first), at: at('11:00:00') });
      const late = await hello('551190004', { time: at('10:59:00') });
      assert.deepEqual([conversationIn(late), late.opened], [conversationIn(first), null]);
      assert.equal((await desk.conversations.get(ACME, conversationIn(first)))?.closedAt, at('11:00:00'));
      const next = await hello('551190004', { time: at('11:00:01') });
      assert.notEqual(conversationIn(next), conversationIn(first));
      assert.notEqual(next.opened, null);
    });

    it('opens another conversation after thirty quiet days, and not a second earlier', async () => {
      const first = await hello('551190005', { time: '2026-10-01T00:00:00.000Z' });
      const still = await hello('551190005', { time: '2026-10-31T00:00:00.000Z' });
      assert.equal(conversationIn(still), conversationIn(first));
      const next = await hello('551190005', { time: '2026-11-30T00:00:00.001Z' });
      assert.notEqual(conversationIn(next), conversationIn(first));
      assert.equal((await desk.conversations.get(ACME, conversationIn(first)))?.closedAt, '2026-11-30T00:00:00.000Z');
    });

    it('gives a conversation that a human begins to the human', async () => {
      const first = accepted(
        await desk.intake.store(
          channelFact('551190006', { type: 'message.outbound', data: text('Hello from the shop') }),
        ),
      );
      assert.equal(first.humanTookOver?.cause, 'human_replied');
      assert.equal((await desk.conversations.get(ACME, conversationIn(first)))?.owner, 'human');
    });

    it('stores a status of a message nobody knows, and opens nothing for it', async () => {
      const status = accepted(
        await desk.intake.store(
          channelFact('551190007', { type: 'message.status', data: { providerId: 'wamid.X', status: 'read' } }),
        ),
      );
      assert.deepEqual([status.event.subject, status.opened], [undefined, null]);
      const reaction = accepted(
        await desk.intake.store(
          channelFact('551190007', { type: 'message.reaction', data: { about: 'wamid.X', emoji: '👍' } }),
        ),
      );
      assert.deepEqual([reaction.event.subject, reaction.opened], [BUSINESS, null]);
    });

    it('keeps the ids of two accounts apart: what one says of its message is not about the other’s', async () => {
      const told = async (channel: string, address: string) => {
        const said = { type: 'message.inbound', data: { ...text('Hi'), providerId: '7' } };
        const first = accepted(await desk.intake.store(channelFact(address, said, channel)));
        const answer = { type: 'message.outbound', data: { ...text('Hello'), providerId: '8', author: 'automation' } };
        accepted(await desk.intake.store(channelFact(address, answer, channel)));
        return conversationIn(first);
      };
      const [one, other] = [await told('chatwoot:1', 'contact:1'), await told('chatwoot:2', 'contact:1')];
      assert.notEqual(one, other);
      const read = { type: 'message.status', data: { providerId: '8', status: 'read' } };
      accepted(await desk.intake.store(channelFact('contact:1', read, 'chatwoot:1')));
      const gone = { type: 'message.deleted', data: { about: '7' } };
      accepted(await desk.intake.store(channelFact('contact:1', gone, 'chatwoot:1')));
      const shown = async (conversation: ConversationId) =>
        (await desk.conversations.messages({ tenant: ACME, conversation, limit: 9 })).items.map(({ text, status }) => [
          text,
          status,
        ]);
      assert.deepEqual(await shown(one), [
        [null, null],
        ['Hello', 'read'],
      ]);
      assert.deepEqual(await shown(other), [
        ['Hi', null],
        ['Hello', null],
      ]);
    });

    it('learns from a reaction nothing but where it belongs', async () => {
      const first = await hello('551190008', { data: { ...text('Hi'), providerId: 'wamid.IN' } });
      const reaction = accepted(
        await desk.intake.store(
          channelFact('551190008', {
            type: 'message.reaction',
            time: at('10:30:00'),
            data: { about: 'wamid.IN', emoji: '👍' },
          }),
        ),
      );
      assert.equal(reaction.event.subject, first.event.subject);
      assert.deepEqual(
        (
          await desk.events.unanswered({ tenant: ACME, subject: first.event.subject as typeof BUSINESS, limit: 10 })
        ).map(({ key }) => key),
        [first.event.key],
      );
    });

    it('is not led into a deadlock by people and conversations locked in any order', async () => {
      const first = await hello('551190009');
      const subject = first.event.subject as typeof BUSINESS;
      const doors = [desk, await opened.another()] as const;
      const items = Array.from({ length: 24 }, (_, n) =>
        n % 3 === 0
          ? channelFact('551190009', { type: 'message.inbound', data: text('stop') })
          : n % 3 === 1
            ? fact(subject, { type: 'message.inbound', data: text('start') })
            : fact(subject, { type: 'contact.updated', data: { address: '551190009', name: `n${n}` } }),
      );
      const results = await Promise.all(items.map((item, n) => doors[(n % 2) as 0 | 1].intake.store(item)));
      assert.ok(results.every(({ result }) => result === 'accepted'));
    });
  });
