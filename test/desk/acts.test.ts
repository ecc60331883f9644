import assert from 'node:assert/strict';
import type { ActRecord, Desk } from '../../src/desk/desk.ts';
import type { AttachmentId } from '../../src/domain/ids.ts';
import { parseSlot } from '../../src/domain/ids.ts';
import { resolvePolicy } from '../../src/domain/schemas/policy.ts';
import { DATABASES, openTestDesk, type TestDesk } from '../support/desk.ts';
import { aConversation, accepted, ACME, ANSWERING, aRun, at, fact, LEAD, text } from '../support/facts.ts';

for (const kind of DATABASES)
  describe(`acts and the permit on ${kind}`, () => {
    let opened: TestDesk;
    let desk: Desk;
    before(async () => {
      opened = await openTestDesk(kind);
      desk = opened.desk;
    });
    after(() => opened.close());

    it('keeps once, in the timeline and in the audit, what a run tells twice of what it was asked', async () => {
      const { id: attachment, subject } = aRun(aConversation().subject);
      const asked = {
        tenant: ACME,
        subject,
        slot: ANSWERING,
        attachment,
        actor: 'crm',
        comment: 'why',
        at: at('10:30:00'),
      };
      const both = [
        { ...asked, act: 'pause' },
        { ...asked, act: 'resume', at: at('10:31:00') },
      ] as const;
      await desk.acts.recordAsked(both.slice(0, 1));
      await Promise.all([desk.acts.recordAsked(both), desk.acts.recordAsked(both)]);
      const { items } = await desk.audit.list({ tenant: ACME, target: `${subject}/${ANSWERING}`, limit: 9 });
      assert.deepEqual(
        items.map(({ act, actor, reason, status, at: when }) => [act, actor, reason, status, when]).reverse(),
        [
          ['runs.pause', 'crm', 'why', 200, at('10:30:00')],
          ['runs.resume', 'crm', 'why', 200, at('10:31:00')],
        ],
      );
    });

    async function live(onHumanMessage: 'end' | 'pause' | 'ignore' = 'end') {
      const conversation = aConversation();
      const run = aRun(conversation.subject, { attachedAt: at('10:00:00'), policy: resolvePolicy({ onHumanMessage }) });
      await desk.runs.insertIfAbsent(run);
      const objection = (over: object = {}) =>
        desk.acts.objection({
          tenant: ACME,
          subject: conversation.subject,
          slot: ANSWERING,
          attachment: run.id,
          attachedAt: run.attachedAt,
          agent: LEAD,
          channel: 'whatsapp:100',
          onHumanMessage,
          ...over,
        });
      const act = (over: Partial<ActRecord>) =>
        desk.acts.record({
          tenant: ACME,
          subject: conversation.subject,
          slot: ANSWERING,
          attachment: null,
          act: 'takeover',
          actor: 'Eva',
          comment: null,
          at: at('10:30:00'),
          ...over,
        });
      const said = (time: string, over: object = {}) =>
        desk.intake.store(
          fact(conversation.subject, { type: 'message.outbound', time, data: text('I am a person'), ...over }),
        );
      return { ...conversation, run, objection, act, said };
    }

    it('permits what nothing speaks against', async () => {
      const { objection } = await live();
      assert.equal(await objection(), null);
    });

    it('objects from the moment a takeover is recorded, and makes a human the owner', async () => {
      const { id, objection, act } = await live();
      await act({});
      assert.equal(await objection(), 'taken_over');
      const conversation = await desk.conversations.get(ACME, id);
      assert.deepEqual([conversation?.owner, conversation?.ownerSince], ['human', at('10:30:00')]);
    });

    it('objects after a human message, an assignment and a close, though no run has heard of them', async () => {
      for (const [event, reason] of [
        [{ type: 'message.outbound', data: text('hello') }, 'human_replied'],
        [{ type: 'conversation.assigned', data: { to: 'human' } }, 'taken_over'],
        [{ type: 'takeover' }, 'taken_over'],
        [{ type: 'conversation.closed' }, 'closed_by_human'],
      ] as const) {
        const { subject, objection } = await live();
        accepted(await desk.intake.store(fact(subject, { ...event, time: at('10:30:00') })));
        assert.equal(await objection(), reason);
      }
    });

    it('does not object for what happened before the attachment, or was meant for another', async () => {
      const { objection, act, said } = await live();
      await said(at('09:59:59'));
      await act({ at: at('09:59:59') });
      await act({ attachment: 'another' as AttachmentId });
      await act({ slot: parseSlot('reminder') });
      await act({ act: 'pause' });
      assert.equal(await objection(), null);
      await act({ act: 'detach', slot: null });
      assert.equal(await objection(), 'detached');
    });

    it('takes a human fact of a whole second for one of any moment in that second, as the run does', async () => {
      const attached = { attachedAt: at('10:00:05.400') };
      const told = async (time: string, as: 'message' | 'act') => {
        const { objection, act, said } = await live();
        await (as === 'message' ? said(time) : act({ at: time }));
        return objection(attached);
      };
      assert.equal(await told(at('10:00:05.000'), 'message'), 'human_replied');
      assert.equal(await told(at('10:00:05.000'), 'act'), 'taken_over');
      assert.equal(await told(at('10:00:04.000'), 'message'), null);
      assert.equal(await told(at('10:00:05.399'), 'message'), null);
      assert.equal(await told(at('10:00:05.399'), 'act'), null);
      const { id, subject } = aConversation();
      accepted(
        await desk.intake.store(
          fact(subject, { type: 'message.outbound', time: at('10:00:05'), data: text('I am a person') }),
        ),
      );
      const claim = { tenant: ACME, id, owner: 'agent', by: 'rule', at: at('10:00:06') } as const;
      assert.equal(await desk.conversations.setOwner({ ...claim, unlessHumanSince: at('10:00:05.400') }), false);
      assert.equal(await desk.conversations.setOwner({ ...claim, unlessHumanSince: at('10:00:06.000') }), true);
    });

    it('does not object for robots and private notes', async () => {
      const { objection, said } = await live();
      await said(at('10:30:00'), { data: { ...text('Welcome'), author: 'automation' } });
      await said(at('10:30:00'), { data: { ...text('psst'), private: true } });
      assert.equal(await objection(), null);
    });

    it('asks an agent that ignores humans to stop only by name', async () => {
      const { objection, act, said } = await live('ignore');
      await said(at('10:30:00'));
      await act({ slot: null });
      assert.equal(await objection(), null);
      await act({});
      assert.equal(await objection(), 'taken_over');
    });

    it('objects for an agent that pauses until it has been told, or somebody resumed it', async () => {
      const { run, objection, act, said } = await live('pause');
      const first = accepted(await said(at('10:30:00')));
      assert.equal(await objection(), 'human_replied');
      await desk.events.markDelivered(first.event.key, [run.id]);
      assert.equal(await objection(), null);
      await said(at('10:40:00'));
      assert.equal(await objection(), 'human_replied');
      await act({ act: 'resume', at: at('10:41:00') });
      assert.equal(await objection(), null);
    });

    it('objects while a kill switch covers the agent, the channel or the tenant', async () => {
      const { objection } = await live();
      const { id } = aConversation();
      await desk.conversations.ensure({ tenant: ACME, id, channel: 'whatsapp:100' });
      for (const [scope, key] of [
        ['agent', LEAD],
        ['channel', 'whatsapp:100'],
        ['tenant', '*'],
      ] as const) {
        await desk.switches.turnOff({ tenant: ACME, scope, key, by: 'Eva', reason: null, at: at('10:00:00') });
        assert.equal(await objection(), 'switched_off');
        const sight = await desk.conversations.sightOfRun({ tenant: ACME, agent: LEAD, conversation: id });
        assert.deepEqual([sight.conversation?.id, sight.off?.scope], [id, scope]);
        assert.equal(await desk.switches.turnOn({ tenant: ACME, scope, key }), true);
        assert.equal(await desk.switches.turnOn({ tenant: ACME, scope, key }), false);
        assert.equal(await objection(), null);
      }
      await desk.switches.turnOff({
        tenant: ACME,
        scope: 'channel',
        key: 'whatsapp:200',
        by: 'Eva',
        reason: null,
        at: at('10:00:00'),
      });
      await desk.switches.turnOff({
        tenant: 'globex' as typeof ACME,
        scope: 'tenant',
        key: '*',
        by: 'Eva',
        reason: null,
        at: at('10:00:00'),
      });
      assert.equal(await objection(), null);
      assert.deepEqual(
        (await desk.switches.list(ACME)).map(({ key }) => key),
        ['whatsapp:200'],
      );
    });

    it('tells the reconciler what live runs may not have heard, until they have ended', async () => {
      const { run, act } = await live();
      await act({ comment: 'mine' });
      await act({ at: at('09:00:00') });
      const mine = async () =>
        (await desk.acts.undelivered(100)).filter(({ workflowId }) => workflowId === run.workflowId);
      assert.deepEqual(await mine(), [
        {
          tenant: ACME,
          subject: run.subject,
          slot: ANSWERING,
          attachment: null,
          act: 'takeover',
          actor: 'Eva',
          comment: 'mine',
          at: at('10:30:00'),
          workflowId: run.workflowId,
        },
      ]);
      await desk.runs.recordEnd({
        run: { ...run, status: 'EXITED_ON_OUTBOUND', reason: 'taken_over', endedAt: at('10:31:00') },
        unhandled: [],
      });
      assert.deepEqual(await mine(), []);
    });

    it('lets an agent have a conversation only while no human has held it since', async () => {
      const { id } = aConversation();
      const set = (owner: 'agent' | 'human' | 'none', time: string, unlessHumanSince?: string) =>
        desk.conversations.setOwner({
          tenant: ACME,
          id,
          owner,
          by: 'test',
          at: time,
          ...(unlessHumanSince !== undefined && { unlessHumanSince }),
        });
      assert.equal(await set('agent', at('10:00:00'), at('10:00:00')), true);
      assert.equal(await set('human', at('09:00:00')), true);
      assert.equal(await set('agent', at('10:01:00'), at('10:00:00')), false);
      assert.equal((await desk.conversations.get(ACME, id))?.owner, 'human');
      assert.equal(await set('agent', at('10:01:00'), at('10:00:01')), true);
      assert.equal(await set('human', at('10:02:00')), true);
      assert.equal(await set('none', at('10:03:00')), true);
      assert.equal((await desk.conversations.get(ACME, id))?.owner, 'none');
    });
  });
