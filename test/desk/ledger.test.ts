import assert from 'node:assert/strict';
import type { Desk } from '../../src/desk/desk.ts';
import { DATABASES, openTestDesk, type TestDesk } from '../support/desk.ts';
import { aClaim, aConversation, accepted, ACME, aRun, at, channelFact, fact, text } from '../support/facts.ts';

const SAY = { kind: 'message.send', text: 'How many rooms?' } as const;

for (const kind of DATABASES)
  describe(`ledger on ${kind}`, () => {
    let opened: TestDesk;
    let desk: Desk;
    before(async () => {
      opened = await openTestDesk(kind);
      desk = opened.desk;
    });
    after(() => opened.close());

    async function conversationWithSend(input: Parameters<typeof aClaim>[1] = SAY) {
      const conversation = aConversation();
      await desk.conversations.ensure({
        tenant: ACME,
        id: conversation.id,
        channel: 'whatsapp:100',
        contact: { address: `55${Math.random()}` },
      });
      const claim = aClaim(aRun(conversation.subject), input);
      await desk.ledger.claim(claim);
      const transcript = async () =>
        (await desk.conversations.messages({ tenant: ACME, conversation: conversation.id, limit: 50 })).items;
      return { ...conversation, claim, transcript };
    }

    it('lets one attempt begin a send, however many try', async () => {
      const { claim } = await conversationWithSend();
      const doors = [desk, await opened.another()] as const;
      const begun = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          doors[(n % 2) as 0 | 1].ledger.beginSending(claim.key, claim.attempt, 'claimed'),
        ),
      );
      assert.equal(begun.filter(Boolean).length, 1);
    });

    it('knows that what was on its way when it was taken back may have gone out, and takes its echo for ours', async () => {
      const waiting = await conversationWithSend();
      const underWay = await conversationWithSend();
      await desk.ledger.beginSending(underWay.claim.key, underWay.claim.attempt, 'claimed');
      for (const { claim } of [waiting, underWay])
        await desk.ledger.settle({ key: claim.key, state: 'cancelled', reason: 'taken_over' });
      assert.equal((await desk.ledger.get(waiting.claim.key))?.state, 'cancelled');
      assert.equal((await desk.ledger.get(underWay.claim.key))?.state, 'unknown');
      const echo = { type: 'message.outbound', data: text(SAY.text) };
      const { ownEcho, humanTookOver } = accepted(await desk.intake.store(fact(underWay.subject, echo)));
      assert.deepEqual([ownEcho, humanTookOver], [true, null]);
      assert.equal((await desk.ledger.get(underWay.claim.key))?.state, 'sent');
    });

    for (const [how, tell] of [
      ['answer', async ({ key }) => desk.ledger.sent({ key, providerId: 'wamid.ours', at: at('10:00:01') })],
      [
        'status',
        async ({ reference, subject }) => {
          const data = { providerId: 'wamid.ours', reference, status: 'sent' } as const;
          await desk.intake.store(fact(subject, { type: 'message.status', data }));
        },
      ],
    ] satisfies readonly [string, (claim: ReturnType<typeof aClaim>) => Promise<void>][])
      it(`knows by the provider’s ${how} that a person had typed the very words of a send under way`, async () => {
        const { claim, subject, id, transcript } = await conversationWithSend();
        await desk.ledger.beginSending(claim.key, claim.attempt, 'claimed');
        const echo = async (providerId: string) => {
          const data = { ...text(SAY.text), providerId };
          return accepted(await desk.intake.store(fact(subject, { type: 'message.outbound', data })));
        };
        const theirs = await echo('wamid.theirs');
        assert.equal(theirs.humanTookOver, null);
        await tell(claim);
        // As an echo's delivery does that was begun before anybody knew better.
        await desk.events.markDelivered(theirs.event.key, []);
        await tell(claim);
        assert.equal((await echo('wamid.ours')).humanTookOver, null);
        assert.deepEqual((await transcript()).map(({ author, providerId }) => [author, providerId]).sort(), [
          ['agent', 'wamid.ours'],
          ['human', 'wamid.theirs'],
        ]);
        assert.equal((await desk.conversations.get(ACME, id))?.owner, 'human');
        const undelivered = await desk.events.undelivered({ olderThanMs: 0, limit: 200 });
        assert.deepEqual(
          undelivered
            .filter(({ key }) => key === theirs.event.key)
            .map(({ ownEcho, humanTookOver }) => [ownEcho, humanTookOver?.cause]),
          [[false, 'human_replied']],
        );
      });

    it('lets what is given up be failed, or unknown where a call is under way', async () => {
      const waiting = await conversationWithSend();
      const underWay = await conversationWithSend();
      await desk.ledger.beginSending(underWay.claim.key, underWay.claim.attempt, 'claimed');
      for (const { claim } of [waiting, underWay])
        await desk.ledger.settle({ key: claim.key, state: 'given_up', reason: 'ending_timed_out' });
      const states = [waiting, underWay].map(async ({ claim }) => (await desk.ledger.get(claim.key))?.state);
      assert.deepEqual(await Promise.all(states), ['failed', 'unknown']);
    });

    it('takes a claim over only while nothing has been tried', async () => {
      const { claim } = await conversationWithSend();
      assert.equal((await desk.ledger.claim({ ...claim, attempt: '1.2' })).attempt, '1.2');
      assert.equal(await desk.ledger.beginSending(claim.key, '1.1', 'claimed'), false);
      assert.equal(await desk.ledger.beginSending(claim.key, '1.2', 'claimed'), true);
      const found = await desk.ledger.claim({ ...claim, attempt: '1.3' });
      assert.deepEqual([found.state, found.attempt], ['sending', '1.2']);
      assert.notEqual(found.sendingSince, null);
      assert.equal(await desk.ledger.beginSending(claim.key, '1.3', 'sending'), true);
      assert.equal(await desk.ledger.beginSending(claim.key, '1.3', 'sending'), false);
      await desk.ledger.notSent(claim.key, '1.2');
      assert.equal((await desk.ledger.get(claim.key))?.state, 'sending');
      await desk.ledger.notSent(claim.key, '1.3');
      assert.equal((await desk.ledger.get(claim.key))?.state, 'claimed');
    });

    it('makes a sent message part of the transcript once', async () => {
      const { id, claim, transcript } = await conversationWithSend();
      await desk.ledger.beginSending(claim.key, '1.1', 'claimed');
      await desk.ledger.sent({ key: claim.key, providerId: 'wamid.1', at: at('10:00:01') });
      await desk.ledger.sent({ key: claim.key, providerId: 'wamid.1', at: at('10:00:02') });
      await desk.ledger.settle({ key: claim.key, state: 'failed', reason: 'late' });
      assert.deepEqual(
        (await transcript()).map(({ author, text: words, status, providerId, reference }) => [
          author,
          words,
          status,
          providerId,
          reference,
        ]),
        [['agent', 'How many rooms?', 'sent', 'wamid.1', claim.reference]],
      );
      assert.equal((await desk.ledger.get(claim.key))?.state, 'sent');
      assert.equal((await desk.conversations.get(ACME, id))?.lastOutboundAt, at('10:00:01'));
      assert.equal(await desk.ledger.seenByProvider(claim.reference), 'wamid.1');
    });

    for (const [how, ids] of [
      ['by its reference', (claim: { reference: string }) => ({ reference: claim.reference })],
      ['by its words while it is under way', () => ({})],
    ] as const)
      it(`knows its own echo ${how}, before the send has returned and again after`, async () => {
        const { subject, id, claim, transcript } = await conversationWithSend();
        await desk.ledger.beginSending(claim.key, '1.1', 'claimed');
        const echo = { ...text('How many rooms?'), providerId: `wamid.${claim.reference}`, ...ids(claim) };
        const early = accepted(await desk.intake.store(fact(subject, { type: 'message.outbound', data: echo })));
        assert.deepEqual([early.ownEcho, early.humanTookOver], [true, null]);
        await desk.ledger.sent({ key: claim.key, providerId: echo.providerId, at: at('10:00:01') });
        const late = accepted(
          await desk.intake.store(fact(subject, { type: 'message.outbound', time: at('10:00:03'), data: echo })),
        );
        assert.deepEqual([late.ownEcho, late.humanTookOver], [true, null]);
        assert.deepEqual(
          (await transcript()).map(({ author, providerId }) => [author, providerId]),
          [['agent', echo.providerId]],
        );
        assert.equal((await desk.conversations.get(ACME, id))?.owner, 'none');
        assert.equal((await desk.events.get(ACME, early.event.key))?.status, 'delivered');
        assert.deepEqual(await desk.events.after({ tenant: ACME, subject, seq: 0, limit: 10 }), []);
      });

    it('takes the same words for a human once the send is over', async () => {
      const { subject, claim } = await conversationWithSend();
      await desk.ledger.beginSending(claim.key, '1.1', 'claimed');
      await desk.ledger.sent({ key: claim.key, providerId: 'wamid.A', at: at('10:00:01') });
      const typed = accepted(
        await desk.intake.store(
          fact(subject, { type: 'message.outbound', data: { ...text('How many rooms?'), providerId: 'wamid.B' } }),
        ),
      );
      assert.equal(typed.humanTookOver?.cause, 'human_replied');
    });

    it('learns from a status that a send whose answer was lost went out', async () => {
      const { claim, transcript } = await conversationWithSend();
      await desk.ledger.beginSending(claim.key, '1.1', 'claimed');
      await desk.ledger.settle({ key: claim.key, state: 'unknown', reason: 'the answer was lost' });
      assert.equal(await desk.ledger.seenByProvider(claim.reference), null);
      const providerId = `wamid.${claim.reference}`;
      accepted(
        await desk.intake.store(
          channelFact('someone', {
            type: 'message.status',
            data: { providerId, reference: claim.reference, status: 'delivered' },
          }),
        ),
      );
      assert.deepEqual(
        [(await desk.ledger.get(claim.key))?.state, await desk.ledger.seenByProvider(claim.reference)],
        ['sent', providerId],
      );
      assert.deepEqual(
        (await transcript()).map(({ status }) => status),
        ['delivered'],
      );
    });

    it('moves a status forward only, and shows why a message failed', async () => {
      const { claim, transcript } = await conversationWithSend();
      await desk.ledger.sent({ key: claim.key, providerId: `w.${claim.reference}`, at: at('10:00:01') });
      const report = async (status: string, error?: object) => {
        accepted(
          await desk.intake.store(
            channelFact('someone', {
              type: 'message.status',
              data: { providerId: `w.${claim.reference}`, status, ...(error && { error }) },
            }),
          ),
        );
        const [message] = await transcript();
        return [message?.status, message?.error];
      };
      assert.deepEqual(await report('failed', { code: '131026', message: 'undeliverable' }), [
        'failed',
        '131026: undeliverable',
      ]);
      assert.deepEqual(await report('sent'), ['failed', '131026: undeliverable']);
      assert.deepEqual(await report('read'), ['read', null]);
      assert.deepEqual(await report('delivered'), ['read', null]);
      assert.deepEqual(await report('failed'), ['read', null]);
      assert.deepEqual(await report('played'), ['played', null]);
    });

    it('gives no status to a message of the customer’s, whatever a report names', async () => {
      const { subject, transcript } = await conversationWithSend();
      const providerId = `w.of-theirs.${subject}`;
      const inbound = { ...text('Hi'), providerId };
      accepted(await desk.intake.store(fact(subject, { type: 'message.inbound', data: inbound })));
      const status = { providerId, status: 'failed', error: { code: '131026', message: 'undeliverable' } };
      accepted(await desk.intake.store(fact(subject, { type: 'message.status', data: status })));
      const theirs = (await transcript()).find(({ direction, text: words }) => direction === 'in' && words === 'Hi');
      assert.deepEqual([theirs?.status, theirs?.error], [null, null]);
    });

    it('puts the echo of a message where the message is, though the conversation was closed since', async () => {
      const { subject, id, claim } = await conversationWithSend();
      await desk.ledger.beginSending(claim.key, '1.1', 'claimed');
      await desk.ledger.sent({ key: claim.key, providerId: null, at: at('10:00:00') });
      await desk.conversations.close({ tenant: ACME, id, at: at('10:00:01') });
      const echo = accepted(
        await desk.intake.store(
          channelFact('who', {
            type: 'message.outbound',
            time: at('12:00:00'),
            data: { ...text('How many rooms?'), reference: claim.reference, providerId: 'w.9' },
          }),
        ),
      );
      assert.deepEqual([echo.event.subject, echo.ownEcho, echo.opened], [subject, true, null]);
      assert.equal(await desk.ledger.seenByProvider(claim.reference), 'w.9');
    });

    it('knows its own close, hand-off and note when they come back', async () => {
      const close = await conversationWithSend({ kind: 'conversation.close' });
      await desk.ledger.beginSending(close.claim.key, '1.1', 'claimed');
      const later = new Date(Date.now() + 60_000).toISOString();
      const closed = accepted(
        await desk.intake.store(fact(close.subject, { type: 'conversation.closed', time: later })),
      );
      assert.deepEqual([closed.ownEcho, closed.humanTookOver], [true, null]);
      assert.equal((await desk.ledger.get(close.claim.key))?.state, 'sent');

      const handOff = await conversationWithSend({ kind: 'conversation.handOff', note: 'wants a person' });
      await desk.ledger.sent({ key: handOff.claim.key, providerId: null, at: at('10:00:00') });
      const assigned = accepted(
        await desk.intake.store(
          fact(handOff.subject, { type: 'conversation.assigned', data: { to: 'human', by: 'Eva' } }),
        ),
      );
      assert.deepEqual([assigned.ownEcho, assigned.humanTookOver], [true, null]);
      assert.equal((await desk.conversations.get(ACME, handOff.id))?.owner, 'human');

      const note = await conversationWithSend({ kind: 'note.add', text: 'budget 300' });
      await desk.ledger.beginSending(note.claim.key, '1.1', 'claimed');
      const written = accepted(
        await desk.intake.store(
          fact(note.subject, { type: 'message.outbound', data: { ...text('budget 300'), private: true } }),
        ),
      );
      assert.equal(written.ownEcho, true);
      assert.deepEqual(
        (await note.transcript()).map(({ author, private: isPrivate }) => [author, isPrivate]),
        [['agent', true]],
      );
    });

    it('takes facts of one moment for the echo of a hand-off; the next is a human who came in', async () => {
      const { subject, claim } = await conversationWithSend({ kind: 'conversation.handOff', note: 'wants a person' });
      await desk.ledger.sent({ key: claim.key, providerId: null, at: at('10:00:00') });
      const assigned = async (inSeconds: number) => {
        const time = new Date(Date.now() + inSeconds * 1_000).toISOString();
        const event = { type: 'conversation.assigned', time, data: { to: 'human', by: 'Eva' } } as const;
        return accepted(await desk.intake.store(fact(subject, event)));
      };
      assert.equal((await assigned(0)).ownEcho, true, 'its status');
      assert.equal((await assigned(2)).ownEcho, true, 'whom the team assigns');
      const { ownEcho, humanTookOver } = await assigned(60);
      assert.deepEqual([ownEcho, humanTookOver], [false, { cause: 'taken_over', actor: 'Eva' }]);
    });

    for (const [effect, type, cause] of [
      [{ kind: 'conversation.handOff', note: 'wants a person' }, 'conversation.assigned', 'taken_over'],
      [{ kind: 'conversation.close' }, 'conversation.closed', 'closed_by_human'],
    ] as const)
      it(`takes a human’s ${type} for no echo of ours once another agent is attached`, async () => {
        const { subject, claim } = await conversationWithSend(effect);
        await desk.ledger.sent({ key: claim.key, providerId: null, at: at('10:00:00') });
        const soon = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
        await desk.runs.insertIfAbsent(aRun(subject, { attachedAt: soon(60) }));
        const event = { type, data: type === 'conversation.closed' ? { by: 'Eva' } : { to: 'human', by: 'Eva' } };
        const late = accepted(await desk.intake.store(fact(subject, { ...event, time: soon(30) })));
        assert.deepEqual([late.ownEcho, late.humanTookOver], [true, null]);
        const other = await conversationWithSend(effect);
        await desk.ledger.sent({ key: other.claim.key, providerId: null, at: at('10:00:00') });
        await desk.runs.insertIfAbsent(aRun(other.subject, { attachedAt: soon(60) }));
        const news = accepted(await desk.intake.store(fact(other.subject, { ...event, time: soon(120) })));
        assert.deepEqual([news.ownEcho, news.humanTookOver], [false, { cause, actor: 'Eva' }]);
      });

    it('counts sends in a conversation, and proactive ones to a person over all conversations', async () => {
      const { id, subject } = aConversation();
      const other = aConversation();
      const contact = { address: '551199' };
      await desk.conversations.ensure({ tenant: ACME, id, channel: 'whatsapp:100', contact });
      await desk.conversations.ensure({ tenant: ACME, id: other.id, channel: 'whatsapp:200', contact });
      const sends = [
        { on: subject, proactive: false, time: at('10:00:00') },
        { on: subject, proactive: true, time: at('10:00:30') },
        { on: other.subject, proactive: true, time: at('09:00:00') },
        { on: other.subject, proactive: true, time: at('07:00:00') },
      ];
      for (const { on, proactive, time } of sends) {
        const claim = aClaim(aRun(on), { ...SAY, proactive });
        await desk.ledger.claim(claim);
        await desk.ledger.sent({ key: claim.key, providerId: null, at: time });
      }
      await desk.ledger.claim(aClaim(aRun(subject), SAY));
      assert.deepEqual(
        await desk.conversations.sendCounts({
          tenant: ACME,
          id,
          conversationSince: at('10:00:00'),
          proactiveSince: at('08:00:00'),
        }),
        {
          inConversation: 1,
          oldestInConversationAt: at('10:00:30'),
          proactiveToContact: 2,
          oldestProactiveAt: at('09:00:00'),
        },
      );
    });
  });
