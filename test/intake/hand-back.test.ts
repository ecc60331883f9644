import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Desk, RunRecord } from '../../src/desk/desk.ts';
import { conversationOf, type ConversationId, type Subject, type Topic } from '../../src/domain/ids.ts';
import { StillClosingError } from '../../src/intake/auto-attach.ts';
import { createHandBacks } from '../../src/intake/hand-back.ts';
import { createIntake } from '../../src/intake/intake.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { FakeRuns } from '../support/fake-runs.ts';
import { accepted, ACME, ANSWERING, aRun, at as noon, channelFact, fact, LEAD, text } from '../support/facts.ts';
import { intakeDeps, SILENT, temporalOf } from '../support/given.ts';

const SWITCHED_OFF = { status: 'REMOVED_BY_USER', reason: 'switched_off', phase: null, nextRunAt: null } as const;
let people = 0;

describe('a conversation that a human gives back', () => {
  let opened: TestDesk;
  let desk: Desk;
  let now = Infinity;
  before(async () => {
    opened = await openTestDesk('PGlite', { clock: () => now });
    desk = opened.desk;
  });
  afterEach(() => (now = Infinity));
  after(() => opened.close());

  /** Long ago by the wall clock, which a hand-back by hand goes by. */
  const at = (clock: string) => noon(clock).replace('2026-11-30', '2025-11-30');
  const hears = async (address = `55119100${++people}`, channel = 'whatsapp:100', words = 'Hi', clock = '09:00:00') =>
    accepted(
      await desk.intake.store(
        channelFact(address, { type: 'message.inbound', time: at(clock), data: text(words) }, channel),
      ),
    ).event.subject as Subject;
  const says = async (subject: Subject, clock: string, words = 'Let me help') =>
    desk.intake.store(fact(subject, { type: 'message.outbound', time: at(clock), data: text(words) }));
  /** A run that a human's message at this time has ended. */
  const takenOver = async (clock = '10:00:00', over: Partial<RunRecord> = {}) => {
    const subject = await hears();
    const run: RunRecord = aRun(subject, { attachedAt: at('09:00:00'), ...over });
    await desk.runs.insertIfAbsent(run);
    await says(subject, clock);
    const end = { status: 'EXITED_ON_OUTBOUND', reason: 'human_replied', endedAt: at(clock), nextRunAt: null } as const;
    await desk.runs.recordEnd({ run: { ...run, ...end, phase: null }, unhandled: [] });
    const ref = { tenant: ACME, subject, slot: ANSWERING };
    return { subject, run, ref, id: conversationOf(subject) as ConversationId };
  };
  const handBacks = (runs = new FakeRuns(), meanwhile?: () => Promise<void>) =>
    createHandBacks({
      desk,
      attach: async (options) => {
        await meanwhile?.();
        return runs.attach(options);
      },
      automatic: [{ tenant: ACME, agent: LEAD, after: '2h' }],
      log: SILENT,
    });
  const ownerOf = async (id: ConversationId) => (await desk.conversations.get(ACME, id))?.owner;

  it('goes to a new run of the same agent, which is told since when and why', async () => {
    const { ref, run, id } = await takenOver();
    const runs = new FakeRuns();
    const given: unknown[] = [];
    const attach = runs.attach.bind(runs);
    runs.attach = async (options) => {
      given.push(options.handedBack);
      return attach(options);
    };
    const handed = await handBacks(runs).handBack({ ref, by: 'ana', note: 'price agreed' });
    assert.equal(handed.result, 'handed_back');
    const [told] = given as { from: string; to: string }[];
    assert.deepEqual(told, { from: at('10:00:00'), to: told?.to, note: 'price agreed', previous: run.id });
    assert.equal(await ownerOf(id), 'human', 'until the run is prepared');
    const { items } = await desk.runs.timeline('run' in handed ? (handed.run.id as never) : ('' as never));
    const acts = items.filter(({ entry }) => entry === 'act');
    assert.deepEqual(
      acts.map((entry) => entry.entry === 'act' && [entry.act, entry.actor, entry.comment]),
      [['handback', 'ana', 'price agreed']],
    );
  });

  it('is not taken for one that an agent has while the run before is closing, and comes again', async () => {
    const { ref, run, subject } = await takenOver();
    const runs = new FakeRuns();
    const closing = {
      status: 'EXITED_ON_OUTBOUND',
      reason: 'taken_over',
      phase: null,
      endedAt: noon('10:00:00'),
    } as const;
    runs.attach = async () => Promise.resolve({ attached: false, run: { ...run, ...closing } });
    assert.equal((await handBacks(runs).handBack({ ref, by: 'ana', note: null })).result, 'ending');
    const inTheInbox = { tenant: ACME, subject, by: 'Rui', at: at('10:30:00') };
    await assert.rejects(handBacks(runs).letGo(inTheInbox), StillClosingError);
  });

  it('has the new run follow what the one before was asked to follow', async () => {
    const { ref } = await takenOver('10:00:00', { topics: ['spring-offer' as Topic] });
    const given: unknown[] = [];
    const runs = new FakeRuns();
    const attach = runs.attach.bind(runs);
    runs.attach = async (options) => {
      given.push(options.topics);
      return attach(options);
    };
    await handBacks(runs).handBack({ ref, by: 'ana', note: null });
    assert.deepEqual(given, [['spring-offer']]);
  });

  it('is not the agent’s again when its new run has ended before the hand-back is over', async () => {
    const { ref, id } = await takenOver();
    const runs = new FakeRuns();
    const attach = runs.attach.bind(runs);
    runs.attach = async (options) => {
      const { attached, run } = await attach(options);
      await desk.runs.recordEnd({
        run: {
          ...aRun(ref.subject, { attachedAt: run.attachedAt }),
          id: run.id,
          ...SWITCHED_OFF,
          endedAt: new Date().toISOString(),
        },
        unhandled: [],
      });
      return { attached, run };
    };
    await handBacks(runs).handBack({ ref, by: 'ana', note: null });
    assert.equal(await ownerOf(id), 'none');
  });

  it('is refused where no human holds it, where it is closed, where an agent is, and where none was', async () => {
    const { ref, id } = await takenOver();
    const { handBack } = handBacks();
    const request = { ref, by: 'ana', note: null };
    const other = { ...ref, subject: await hears() };
    assert.equal((await handBack({ ...request, ref: other })).result, 'never_attached');
    assert.equal((await handBack({ ...request, id: 'another' })).result, 'another_attachment');
    await desk.conversations.close({ tenant: ACME, id, at: at('11:00:00') });
    assert.equal((await handBack(request)).result, 'closed');
    const free = await takenOver();
    await desk.conversations.setOwner({ tenant: ACME, id: free.id, owner: 'none', by: 'x', at: at('11:00:00') });
    assert.equal((await handBack({ ...request, ref: free.ref })).result, 'not_held');
    await desk.runs.insertIfAbsent(aRun(other.subject));
    assert.equal((await handBack({ ...request, ref: other })).result, 'live');
  });

  it('stays the human’s when they write while it is handed back', async () => {
    const { ref, id, subject } = await takenOver();
    const { handBack } = handBacks(new FakeRuns(), async () => {
      const time = new Date(Date.now() + 1_000).toISOString();
      await desk.intake.store(fact(subject, { type: 'message.outbound', time, data: text('Wait') }));
    });
    assert.equal((await handBack({ ref, by: 'ana', note: null })).result, 'handed_back');
    assert.equal(await ownerOf(id), 'human');
  });

  it('goes back by itself after the human’s silence, not a moment before, and once', async () => {
    const { id, subject } = await takenOver('10:00:00');
    await says(subject, '10:30:00', 'Anything else?');
    const runs = new FakeRuns();
    const { round } = handBacks(runs);
    const mine = () => [...runs.chains.keys()].filter((name) => name.includes(id)).length;
    await round(Date.parse(at('12:29:59')));
    assert.equal(mine(), 0);
    await round(Date.parse(at('12:30:00')));
    assert.equal(mine(), 1);
    await round(Date.parse(at('12:31:00')));
    assert.equal(mine(), 1);
  });

  it('goes back by itself as soon where the human’s message was told by a clock that is hours fast', async () => {
    const { id, subject } = await takenOver('10:00:00');
    now = Date.parse(at('10:30:00'));
    await says(subject, '20:00:00', 'Anything else?');
    const runs = new FakeRuns();
    await handBacks(runs).round(Date.parse(at('12:30:00')));
    assert.ok([...runs.chains.keys()].some((name) => name.includes(id)));
  });

  it('stays the human’s when a message of theirs from before an automatic hand-back comes in late', async () => {
    const { id, subject } = await takenOver('10:00:00');
    const runs = new FakeRuns();
    const attach = runs.attach.bind(runs);
    runs.attach = async (options) => {
      const { attachedAt = '' } = options;
      // As its preparation does.
      await desk.conversations.setOwner({
        ...{ tenant: ACME, id, owner: 'agent', by: LEAD, at: attachedAt, unlessHumanSince: attachedAt },
      });
      const { attached, run } = await attach(options);
      return { attached, run: { ...run, attachedAt } };
    };
    await handBacks(runs).round(Date.parse(at('12:00:01')));
    assert.equal(await ownerOf(id), 'agent');
    await says(subject, '11:59:00', 'I am still here');
    assert.equal(await ownerOf(id), 'human');
  });

  it('is left alone by the clock when it is closed, handed off, detached, or the person opted out', async () => {
    const closed = await takenOver();
    await desk.conversations.close({ tenant: ACME, id: closed.id, at: at('10:30:00') });
    const out = await takenOver();
    const address = (await desk.conversations.get(ACME, out.id))?.contact?.address ?? '';
    await hears(address, 'whatsapp:100', 'STOP', '10:05:00');
    const runs = new FakeRuns();
    await handBacks(runs).round(Date.parse(at('23:00:00')));
    for (const { id } of [closed, out]) assert.ok(![...runs.chains.keys()].some((name) => name.includes(id)));
  });

  it('goes back to its agent when the inbox says that an agent shall have it, once, however often that is told', async () => {
    const { subject, run, id } = await takenOver('10:00:00');
    const pending = fact(subject, {
      type: 'conversation.assigned',
      time: at('10:30:00'),
      data: { to: 'agent', by: 'Rui' },
    });
    accepted(await desk.intake.store(pending));
    assert.equal(await ownerOf(id), 'none');
    const runs = new FakeRuns();
    const attach = runs.attach.bind(runs);
    const attachment = randomUUID();
    runs.attach = async (options) => {
      const { attached, run: begun } = await attach(options);
      return { attached, run: { ...begun, id: attachment } };
    };
    const back = handBacks(runs);
    const told = { tenant: ACME, subject, by: 'Rui', at: at('10:30:00') };
    await back.letGo(told);
    const ref = { tenant: ACME, subject, slot: ANSWERING };
    assert.notEqual(attachment, run.id);
    assert.equal((await desk.runs.get(ref))?.id, attachment);
    runs.attach = () => Promise.reject(new Error('it is back already'));
    await back.letGo(told);
  });

  it('stays with a human who came in again since, and with nobody where the agent had ended by itself', async () => {
    const again = await takenOver('10:00:00');
    accepted(
      await desk.intake.store(
        fact(again.subject, { type: 'conversation.assigned', time: at('10:30:00'), data: { to: 'agent' } }),
      ),
    );
    await says(again.subject, '10:31:00');
    await handBacks().letGo({ tenant: ACME, subject: again.subject, by: 'Rui', at: at('10:30:00') });
    assert.equal(await ownerOf(again.id), 'human');
    const subject = await hears();
    const done = aRun(subject, { attachedAt: at('09:00:00') });
    await desk.runs.insertIfAbsent(done);
    const end = { status: 'COMPLETED', reason: 'goal_reached', endedAt: at('10:00:00'), nextRunAt: null } as const;
    await desk.runs.recordEnd({ run: { ...done, ...end, phase: null }, unhandled: [] });
    await handBacks().letGo({ tenant: ACME, subject, by: 'Rui', at: at('10:30:00') });
    assert.equal((await desk.runs.get({ tenant: ACME, subject, slot: ANSWERING }))?.id, done.id);
  });
});

describe('an opt-out', () => {
  let opened: TestDesk;
  const at = noon;
  before(async () => {
    opened = await openTestDesk();
  });
  after(() => opened.close());

  it('in one conversation ends the runs on all of the person’s, but those attached since', async () => {
    const { desk } = opened;
    const told: string[] = [];
    const client = temporalOf({
      getHandle: (id: string) => ({
        signal: async (_: unknown, ref: { optOut?: boolean }) => {
          if (ref.optOut === true) told.push(id);
        },
      }),
    });
    const intake = createIntake(intakeDeps(desk, { client }));
    const on = async (address: string, channel: string, words = 'Hi', clock = '09:00:00') => {
      const event = { type: 'message.inbound', time: at(clock), data: text(words) };
      await intake.accept([channelFact(address, event, channel)]);
      await intake.idle();
      const { items } = await desk.events.list({ tenant: ACME, limit: 200 });
      return items.find(({ time, source, type }) => time === at(clock) && source === channel && type === event.type)
        ?.subject as Subject;
    };
    const [first, second, third] = [
      await on('5511777', 'whatsapp:100'),
      await on('5511777', 'whatsapp:200'),
      await on('5511777', 'whatsapp:300'),
    ];
    const stranger = await on('5511778', 'whatsapp:400');
    for (const subject of [first, second, stranger]) await desk.runs.insertIfAbsent(aRun(subject));
    await desk.runs.insertIfAbsent(aRun(third, { attachedAt: at('09:30:00') }));
    await on('5511777', 'whatsapp:100', 'Parar', '09:10:00');
    assert.deepEqual(told.sort(), [first, second].map((subject) => `run/acme/${subject}/answering`).sort());
    const optedOut = async (subject: Subject) =>
      (await desk.conversations.get(ACME, conversationOf(subject) as ConversationId))?.contact?.optedOutAt ?? null;
    assert.deepEqual([await optedOut(second), await optedOut(stranger)], [at('09:10:00'), null]);
    await on('5511777', 'whatsapp:200', 'voltar', '09:20:00');
    assert.deepEqual([await optedOut(first), await optedOut(second)], [null, null]);
  });
});
