import assert from 'node:assert/strict';
import type { Desk } from '../../src/desk/desk.ts';
import { BUSINESS } from '../../src/domain/ids.ts';
import { DATABASES, openTestDesk, type TestDesk } from '../support/desk.ts';
import { aConversation, accepted, ACME, aRun, at, fact, text } from '../support/facts.ts';

for (const kind of DATABASES)
  describe(`intake on ${kind}`, function () {
    this.timeout(60_000);
    let opened: TestDesk;
    let desk: Desk;
    before(async () => {
      opened = await openTestDesk(kind);
      desk = opened.desk;
    });
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
      assert.equal(items[0]?.text, 'ab \ufffd 😀 \\u0000');
      accepted(
        await desk.intake.store(
          fact(subject, { type: 'custom.odd', data: { 'k\0': ['\udc00', '\\u0000', 'a string'] } }),
        ),
      );
      const after = await desk.events.after({ tenant: ACME, subject, seq: 0, limit: 10 });
      assert.deepEqual(after.at(-1)?.data, { k: ['\ufffd', '\\u0000', 'a string'] });
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
