import assert from 'node:assert/strict';
import type { Desk } from '../../src/desk/desk.ts';
import { BUSINESS, type Subject } from '../../src/domain/ids.ts';
import { DATABASES, openTestDesk, type TestDesk } from '../support/desk.ts';
import { aConversation, accepted, ACME, aRun, at, fact, LEAD, text } from '../support/facts.ts';

for (const kind of DATABASES)
  describe(`intake on ${kind}`, () => {
    let opened: TestDesk;
    let desk: Desk;
    /** Of the clock that facts cannot be ahead of; as a rule after all of them. */
    let now = Infinity;
    before(async () => {
      opened = await openTestDesk(kind, { clock: () => now });
      desk = opened.desk;
    });
    afterEach(() => (now = Infinity));
    after(() => opened.close());

    it('stores an inbound message with its conversation, person and transcript', async () => {
      const { id, subject } = aConversation();
      const result = accepted(
        await desk.intake.store(
          fact(subject, {
            type: 'message.inbound',
            time: at('10:00:00.123'),
            data: { ...text('Hi!'), contact: { address: '551190001', name: 'Ana', timeZone: 'America/Sao_Paulo' } },
          }),
        ),
      );
      assert.equal(result.event.time, '2026-11-30T10:00:00.123Z');
      assert.deepEqual(
        [result.ownEcho, result.humanTookOver, result.optOut, result.opened],
        [false, null, false, null],
      );
      const conversation = await desk.conversations.get(ACME, id);
      assert.equal(conversation?.lastInboundAt, at('10:00:00.123'));
      assert.equal(conversation.owner, 'none');
      assert.equal(conversation.channel, null);
      assert.deepEqual(
        [conversation.contact?.address, conversation.contact?.name, conversation.contact?.timeZone],
        ['551190001', 'Ana', 'America/Sao_Paulo'],
      );
      const { items } = await desk.conversations.messages({ tenant: ACME, conversation: id, limit: 10 });
      assert.deepEqual(
        items.map(({ direction, author, text: words }) => [direction, author, words]),
        [['in', 'customer', 'Hi!']],
      );
      assert.deepEqual(await desk.events.load([result.event.key]), [result.event]);
    });

    it('accepts one of twenty copies that come at once', async () => {
      const { id, subject } = aConversation();
      const item = fact(subject, {
        type: 'message.inbound',
        data: { ...text('Hi'), contact: { address: '551190002' } },
      });
      const doors = [desk, await opened.another(), await opened.another()] as const;
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, n) => doors[(n % 3) as 0 | 1 | 2].intake.store(item)),
      );
      assert.equal(results.filter(({ result }) => result === 'accepted').length, 1);
      assert.equal(
        new Set(results.map((result) => (result.result === 'accepted' ? result.event.key : result.key))).size,
        1,
      );
      assert.equal((await desk.conversations.messages({ tenant: ACME, conversation: id, limit: 10 })).items.length, 1);
    });

    it('keeps the same id of two tenants and of two sources apart', async () => {
      const { subject } = aConversation();
      const item = fact(subject, { type: 'message.inbound', id: 'm-1', data: text('Hi') });
      accepted(await desk.intake.store(item));
      accepted(await desk.intake.store({ ...item, tenant: 'globex' as typeof ACME }));
      accepted(await desk.intake.store({ ...item, event: { ...item.event, source: 'crm' } }));
      assert.equal((await desk.intake.store(item)).result, 'duplicate');
    });

    it('keeps a message whose text no database can hold as it is', async () => {
      const { id, subject } = aConversation();
      accepted(
        await desk.intake.store(fact(subject, { type: 'message.inbound', data: text('a\0b \ud800 😀 \\u0000') })),
      );
      const { items } = await desk.conversations.messages({ tenant: ACME, conversation: id, limit: 1 });
      assert.equal(items[0]?.text, 'a\ufffdb \ufffd 😀 \\u0000');
      accepted(
        await desk.intake.store(
          fact(subject, { type: 'custom.odd', data: { 'k\0': ['\udc00', '\\u0000', 'a string'] } }),
        ),
      );
      const after = await desk.events.after({ tenant: ACME, subject, seq: 0, limit: 10 });
      assert.deepEqual(after.at(-1)?.data, { 'k\ufffd': ['\ufffd', '\\u0000', 'a string'] });
      accepted(await desk.intake.store(fact(subject, { type: 'custom.text', data: '"just" a string' })));
      assert.equal(
        (await desk.events.after({ tenant: ACME, subject, seq: 0, limit: 10 })).at(-1)?.data,
        '"just" a string',
      );
    });

    it('hands events of one subject out in an order in which none can appear before another that was read', async () => {
      const { subject } = aConversation();
      const doors = [desk, await opened.another(), await opened.another()] as const;
      const seen: number[] = [];
      const readOn = async () => {
        const batch = await desk.events.after({ tenant: ACME, subject, seq: seen.at(-1) ?? 0, limit: 100 });
        seen.push(...batch.map(({ seq }) => seq));
      };
      const stored = Array.from({ length: 60 }, (_, n) =>
        doors[(n % 3) as 0 | 1 | 2].intake.store(fact(subject, { type: 'custom.tick', data: n })),
      );
      const writing = { goesOn: true };
      const all = Promise.all(stored).finally(() => (writing.goesOn = false));
      while (writing.goesOn) await readOn();
      await all;
      await readOn();
      assert.equal(seen.length, 60);
    });

    it('takes a human message as a takeover and remembers who', async () => {
      const { id, subject } = aConversation();
      const result = accepted(
        await desk.intake.store(
          fact(subject, {
            type: 'message.outbound',
            time: at('10:01:00'),
            data: { ...text('I am here'), by: 'Maria' },
          }),
        ),
      );
      assert.deepEqual(result.humanTookOver, { cause: 'human_replied', actor: 'Maria' });
      const conversation = await desk.conversations.get(ACME, id);
      assert.deepEqual(
        [conversation?.owner, conversation?.lastHumanOutboundAt, conversation?.lastOutboundAt],
        ['human', at('10:01:00'), at('10:01:00')],
      );
    });

    it('shows the newest words of an edited message, and none of a deleted one', async () => {
      const { id, subject } = aConversation();
      const store = async (type: string, time: string, data: object) =>
        accepted(await desk.intake.store(fact(subject, { type, time: at(time), data })));
      await store('message.inbound', '10:00:00', { ...text('at nine'), providerId: 'wamid.1' });
      await store('message.inbound', '10:00:01', { ...text('my PIN is 1234'), providerId: 'wamid.2' });
      await store('message.edited', '10:02:00', { ...text('at ten'), about: 'wamid.1' });
      await store('message.edited', '10:01:00', { ...text('at half past nine'), about: 'wamid.1' });
      const deletion = await store('message.deleted', '10:03:00', { about: 'wamid.2' });
      await store('message.edited', '10:02:30', { ...text('my PIN is 4321'), about: 'wamid.2' });
      assert.deepEqual([deletion.humanTookOver, deletion.optOut], [null, false]);
      const { items } = await desk.conversations.messages({ tenant: ACME, conversation: id, limit: 10 });
      assert.deepEqual(
        items.map(({ text: words, editedAt, deletedAt }) => [words, editedAt, deletedAt]),
        [
          ['at ten', at('10:02:00'), null],
          [null, null, at('10:03:00')],
        ],
      );
    });

    it('takes neither a robot of the CRM nor a private note as a takeover', async () => {
      const { id, subject } = aConversation();
      const robot = accepted(
        await desk.intake.store(
          fact(subject, { type: 'message.outbound', data: { ...text('Welcome'), author: 'automation' } }),
        ),
      );
      const note = accepted(
        await desk.intake.store(
          fact(subject, { type: 'message.outbound', data: { ...text('looks rich'), private: true } }),
        ),
      );
      assert.deepEqual([robot.humanTookOver, note.humanTookOver], [null, null]);
      assert.equal((await desk.conversations.get(ACME, id))?.owner, 'none');
      const { items } = await desk.conversations.messages({ tenant: ACME, conversation: id, limit: 10 });
      assert.deepEqual(
        items.map(({ author, private: isPrivate }) => [author, isPrivate]),
        [
          ['automation', false],
          ['human', true],
        ],
      );
    });

    it('takes an assignment to a human and a takeover as such, also of the business', async () => {
      const { id, subject } = aConversation();
      const assigned = accepted(
        await desk.intake.store(fact(subject, { type: 'conversation.assigned', data: { to: 'human', by: 'Rui' } })),
      );
      assert.deepEqual(assigned.humanTookOver, { cause: 'taken_over', actor: 'Rui' });
      accepted(
        await desk.intake.store(
          fact(subject, { type: 'conversation.assigned', time: at('10:05:00'), data: { to: 'none' } }),
        ),
      );
      assert.equal((await desk.conversations.get(ACME, id))?.owner, 'none');
      const taken = accepted(
        await desk.intake.store(fact(subject, { type: 'takeover', time: at('10:06:00'), data: { by: 'Eva' } })),
      );
      assert.deepEqual(taken.humanTookOver, { cause: 'taken_over', actor: 'Eva' });
      assert.equal((await desk.conversations.get(ACME, id))?.owner, 'human');
      const business = accepted(await desk.intake.store(fact(BUSINESS, { type: 'takeover' })));
      assert.deepEqual(business.humanTookOver, { cause: 'taken_over', actor: 'human' });
    });

    it('takes a close by a human as the end of what the agent does there, and frees the conversation', async () => {
      const { id, subject } = aConversation();
      await desk.conversations.setOwner({ tenant: ACME, id, owner: 'agent', by: 'rule', at: at('09:00:00') });
      const closed = accepted(
        await desk.intake.store(
          fact(subject, { type: 'conversation.closed', time: at('10:00:00'), data: { by: 'Eva' } }),
        ),
      );
      assert.deepEqual(closed.humanTookOver, { cause: 'closed_by_human', actor: 'Eva' });
      const conversation = await desk.conversations.get(ACME, id);
      assert.deepEqual([conversation?.owner, conversation?.closedAt], ['none', at('10:00:00')]);
    });

    it('reopens a closed conversation for a message written after the close, and not for a late one', async () => {
      const { id, subject } = aConversation();
      accepted(await desk.intake.store(fact(subject, { type: 'conversation.opened', time: at('08:00:00') })));
      accepted(await desk.intake.store(fact(subject, { type: 'conversation.closed', time: at('10:00:00') })));
      accepted(
        await desk.intake.store(fact(subject, { type: 'message.inbound', time: at('09:59:00'), data: text('late') })),
      );
      accepted(await desk.intake.store(fact(subject, { type: 'conversation.opened', time: at('09:58:00') })));
      assert.equal((await desk.conversations.get(ACME, id))?.closedAt, at('10:00:00'));
      accepted(
        await desk.intake.store(
          fact(subject, { type: 'message.inbound', time: at('10:01:00'), data: text('still there?') }),
        ),
      );
      assert.deepEqual(
        [(await desk.conversations.get(ACME, id))?.closedAt, (await desk.conversations.get(ACME, id))?.owner],
        [null, 'none'],
      );
      const late = accepted(
        await desk.intake.store(fact(subject, { type: 'conversation.closed', time: at('10:00:30') })),
      );
      assert.equal(late.humanTookOver, null);
      assert.equal((await desk.conversations.get(ACME, id))?.closedAt, null);
    });

    it('lets an old human message not take back what was handed to the agent since, unless a run was live then', async () => {
      const { id, subject } = aConversation();
      await desk.conversations.setOwner({ tenant: ACME, id, owner: 'agent', by: 'Eva', at: at('11:00:00') });
      const old = accepted(
        await desk.intake.store(fact(subject, { type: 'message.outbound', time: at('10:59:00'), data: text('old') })),
      );
      assert.equal(old.humanTookOver, null);
      assert.equal((await desk.conversations.get(ACME, id))?.owner, 'agent');
      await desk.runs.insertIfAbsent(aRun(subject, { attachedAt: at('10:58:00') }));
      const during = accepted(
        await desk.intake.store(
          fact(subject, { type: 'message.outbound', time: at('10:59:30'), data: text('me again') }),
        ),
      );
      assert.equal(during.humanTookOver?.cause, 'human_replied');
      assert.equal((await desk.conversations.get(ACME, id))?.owner, 'human');
    });

    it('knows opting out and in, in the order in which they were said', async () => {
      const { id, subject } = aConversation();
      const contact = { address: '551190077' };
      const out = accepted(
        await desk.intake.store(
          fact(subject, { type: 'message.inbound', time: at('10:00:00'), data: { ...text('¡PARAR!'), contact } }),
        ),
      );
      assert.equal(out.optOut, true);
      assert.equal((await desk.conversations.get(ACME, id))?.contact?.optedOutAt, at('10:00:00'));
      accepted(
        await desk.intake.store(fact(subject, { type: 'message.inbound', time: at('11:00:00'), data: text('start') })),
      );
      assert.equal((await desk.conversations.get(ACME, id))?.contact?.optedOutAt, null);
      const late = accepted(
        await desk.intake.store(fact(subject, { type: 'message.inbound', time: at('10:30:00'), data: text('stop') })),
      );
      assert.equal(late.optOut, false);
      assert.equal((await desk.conversations.get(ACME, id))?.contact?.optedOutAt, null);
    });

    describe('told by a clock that is twenty hours fast', () => {
      const TWENTY_HOURS_MS = 20 * 3_600_000;
      const contact = { address: '551190099' };
      /** Stored at this time, told as of twenty hours later. */
      const told = async (subject: Subject, clock: string, event: { type: string; id?: string; data?: object }) => {
        now = Date.parse(at(clock));
        return desk.intake.store(fact(subject, { ...event, time: new Date(now + TWENTY_HOURS_MS).toISOString() }));
      };
      /** Stored and told at this time, by a clock that is right. */
      const happens = async (subject: Subject, clock: string, event: { type: string; data?: object }) => {
        now = Date.parse(at(clock));
        return accepted(await desk.intake.store(fact(subject, { ...event, time: at(clock) })));
      };

      it('a human’s message keeps the conversation from when it came, and not from whoever is attached after it', async () => {
        const { id, subject } = aConversation();
        await told(subject, '10:00:00', { type: 'message.outbound', data: text('Hello') });
        const { ownerSince, lastHumanOutboundAt } = (await desk.conversations.get(ACME, id)) ?? {};
        assert.deepEqual([ownerSince, lastHumanOutboundAt], [at('10:00:00'), at('10:00:00')]);
        const since = at('10:00:02');
        const claim = { tenant: ACME, id, owner: 'agent', by: LEAD, at: since, unlessHumanSince: since } as const;
        assert.equal(await desk.conversations.setOwner(claim), true);
        const { tenant, slot, id: attachment, agent } = aRun(subject);
        const run = { tenant, subject, slot, attachment, agent, channel: null, onHumanMessage: 'end' } as const;
        assert.equal(await desk.acts.objection({ ...run, attachedAt: since }), null);
        assert.equal(await desk.acts.objection({ ...run, attachedAt: at('09:59:59') }), 'human_replied');
      });

      it('a START does not outlast the STOP after it', async () => {
        const { id, subject } = aConversation();
        await told(subject, '10:00:00', { type: 'message.inbound', data: { ...text('START'), contact } });
        const out = await happens(subject, '10:01:00', { type: 'message.inbound', data: text('STOP') });
        assert.equal(out.optOut, true);
        assert.equal((await desk.conversations.get(ACME, id))?.contact?.optedOutAt, at('10:01:00'));
      });

      it('an opening leaves the human who writes next the newer one', async () => {
        const { id, subject } = aConversation();
        await happens(subject, '09:00:00', { type: 'conversation.closed' });
        await told(subject, '10:00:00', { type: 'conversation.opened' });
        const { humanTookOver } = await happens(subject, '10:01:00', { type: 'message.outbound', data: text('Hello') });
        assert.equal(humanTookOver?.cause, 'human_replied');
        assert.equal((await desk.conversations.get(ACME, id))?.owner, 'human');
      });

      it('a customer’s message opens their 24 hours when it came, and is answered by what is said after it', async () => {
        const { id, subject } = aConversation();
        await told(subject, '10:00:00', { type: 'message.inbound', data: text('Hi') });
        await happens(subject, '10:00:01', { type: 'message.outbound', data: text('Hello') });
        assert.equal((await desk.conversations.get(ACME, id))?.lastInboundAt, at('10:00:00'));
        assert.deepEqual(await desk.events.unanswered({ tenant: ACME, subject, limit: 10 }), []);
        const { items } = await desk.conversations.messages({ tenant: ACME, conversation: id, limit: 10 });
        assert.deepEqual(
          items.map(({ direction }) => direction),
          ['in', 'out'],
        );
      });

      it('a name does not keep out the newer one', async () => {
        const { id, subject } = aConversation();
        await told(subject, '10:00:00', { type: 'contact.updated', data: { ...contact, name: 'Ana' } });
        await happens(subject, '10:01:00', { type: 'contact.updated', data: { ...contact, name: 'Ana Lima' } });
        assert.equal((await desk.conversations.get(ACME, id))?.contact?.name, 'Ana Lima');
      });

      it('a copy that comes hours later moves nothing', async () => {
        const { id, subject } = aConversation();
        const message = { type: 'message.outbound', id: `m-${id}`, data: text('Hello') };
        const first = accepted(await told(subject, '10:00:00', message));
        assert.equal((await told(subject, '15:00:00', message)).result, 'duplicate');
        assert.equal((await desk.conversations.get(ACME, id))?.ownerSince, at('10:00:00'));
        const waiting = await desk.events.undelivered({ olderThanMs: 0, limit: 1_000 });
        assert.equal(waiting.find(({ key }) => key === first.event.key)?.time, at('10:00:00'));
      });

      it('whole seconds stay whole: a human who wrote in the second of an attach is not too early', async () => {
        const { subject } = aConversation();
        now = Date.parse(at('10:00:00.700'));
        const event = { type: 'message.outbound', data: text('Hello') };
        const store = async (time: string) => accepted(await desk.intake.store(fact(subject, { ...event, time })));
        assert.equal((await store(at('12:00:00'))).event.time, at('10:00:00'));
        assert.equal((await store(at('12:00:00.001'))).event.time, at('10:00:00.700'));
        assert.equal((await store(at('09:00:00.001'))).event.time, at('09:00:00.001'));
      });
    });

    it('keeps what could not be read once, as a dead letter', async () => {
      const letter = { tenant: ACME, source: 'whatsapp:100', body: '{"half', problem: 'not JSON' };
      await desk.intake.storeUnreadable(letter);
      await desk.intake.storeUnreadable(letter);
      const { items } = await desk.events.list({ tenant: ACME, status: 'dead', limit: 10 });
      assert.deepEqual(
        items.map(({ type, data, problem, subject }) => [type, data, problem, subject]),
        [['unreadable', { body: '{"half' }, 'not JSON', null]],
      );
      assert.equal(await desk.events.requeue(ACME, items[0]?.id ?? ''), null);
      assert.equal(await desk.events.drop(ACME, items[0]?.key ?? ''), true);
      assert.equal((await desk.events.list({ tenant: ACME, status: 'dead', limit: 10 })).items.length, 0);
    });
  });
