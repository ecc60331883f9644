import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import type { ActivityDeps } from '../../src/activities/deps.ts';
import { perform } from '../../src/activities/perform.ts';
import type { Channel } from '../../src/channels/channel.ts';
import { ChannelError } from '../../src/channels/channel-error.ts';
import { startWhatsAppSimulator } from '../../src/channels/simulated/graph-server.ts';
import { WhatsAppConfig } from '../../src/channels/whatsapp/config.ts';
import { createWhatsAppChannel } from '../../src/channels/whatsapp/whatsapp-channel.ts';
import { conversationOf, isTopic, parseSlot, type AttachmentId } from '../../src/domain/ids.ts';
import type { Effect } from '../../src/domain/schemas/effects.ts';
import { resolvePolicy } from '../../src/domain/schemas/policy.ts';
import type { PerformInput } from '../../src/workflows/activity-types.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { activityDeps, SILENT } from '../support/given.ts';
import { aClaim, aRun, at, channelFact, text } from '../support/facts.ts';

/** An activity that fails is logged, and here it is meant to. */
const QUIETLY = { logger: new DefaultLogger('ERROR') };

describe('an effect that is performed', () => {
  let opened: TestDesk;
  before(async () => {
    opened = await openTestDesk();
  });
  after(() => opened.close());

  /** A conversation with a run that has something to say, and a channel that counts. */
  async function ready(
    askPermit: ActivityDeps['askPermit'],
    desk = opened.desk,
    change: {
      readonly channel?: Partial<Channel>;
      readonly deps?: Partial<ActivityDeps>;
      readonly effect?: Effect;
    } = {},
  ) {
    const calls: string[] = [];
    const phone = `+1202555${Math.floor(Math.random() * 1e7)}`;
    const met = await opened.desk.intake.store(channelFact(phone, { type: 'message.inbound', data: text('Hi') }));
    assert.ok(met.result === 'accepted' && met.event.subject !== undefined && !isTopic(met.event.subject));
    const run = aRun(met.event.subject);
    const { key, effect, attachment } = aClaim(run, change.effect ?? { kind: 'message.send', text: 'Hello' });
    const { workflowId, tenant, subject, slot, agent, attachedAt } = run;
    const input: PerformInput = {
      run: { workflowId: workflowId as never, attachment, attachedAt, tenant, subject, slot, agent },
      policy: resolvePolicy(),
      key,
      effect,
      since: at('10:00:00'),
      performs: 0,
    };
    const channel: Channel = {
      // A number of its own: the tests of one second would share a number's rate.
      ...{ kind: 'whatsapp', key: `whatsapp:${phone}`, hasServiceWindow: true, sendsPerSecond: 10 },
      send: async ({ reference }) => {
        calls.push(reference);
        return Promise.resolve({ providerId: `wamid.${reference}` });
      },
      findSent: async () => Promise.resolve({ found: 'cannot_know' }),
      ...change.channel,
    };
    const deps = activityDeps(desk, {
      channels: { get: () => channel },
      askPermit,
      clock: () => Date.parse(at('10:00:05')),
      ...change.deps,
    });
    const once = async (attempt: number, performs = 0) =>
      new MockActivityEnvironment({ attempt }, QUIETLY).run(() => perform(deps, { ...input, performs }));
    return { run, calls, key, once };
  }

  for (const [question, nth] of [
    ['first', 1],
    ['last', 2],
  ] as const)
    it(`does not go out when a takeover is stored while the run is being asked the ${question} time`, async () => {
      let asked = 0;
      const { run, calls, once } = await ready(async () => {
        if (++asked !== nth) return { permitted: true };
        // Long enough for all that the desk could be asked beside it.
        for (let reads = 0; reads < 10; reads += 1) await opened.desk.ping();
        const { tenant, subject, slot, id } = run;
        const act = { tenant, subject, slot, attachment: id, act: 'takeover', actor: 'ana', comment: null } as const;
        await opened.desk.acts.record({ ...act, at: at('10:00:06') });
        return { permitted: true };
      });
      assert.deepEqual(await once(1), { result: 'refused', reason: 'taken_over' });
      assert.deepEqual(calls, []);
    });

  it('that hands off, and is refused for good, leaves a human in charge, a failed effect and an error for whoever watches', async () => {
    const errors: string[] = [];
    const log = { ...SILENT, error: (_: object, line: string) => errors.push(line) };
    const refused = new ChannelError({ failure: 'permanent', code: 'http_404', message: 'no such conversation' });
    const { run, once, key } = await ready(async () => Promise.resolve({ permitted: true }), opened.desk, {
      effect: { kind: 'conversation.handOff', note: 'Wants a person' },
      channel: { handOff: async () => Promise.reject(refused) },
      deps: { log },
    });
    assert.deepEqual(await once(1), { result: 'failed', reason: 'permanent: http_404' });
    const id = conversationOf(run.subject);
    assert.ok(id !== undefined);
    assert.equal((await opened.desk.conversations.get(run.tenant, id))?.owner, 'human');
    assert.deepEqual([(await opened.desk.ledger.get(key))?.state, errors.length], ['failed', 1]);
    assert.match(errors.join(), /refuses a hand-off/);
  });

  it('that hands off ends what the other runs on the conversation say, reminders aside, and is none of their business itself', async () => {
    const { run, once } = await ready(async () => Promise.resolve({ permitted: true }), opened.desk, {
      effect: { kind: 'conversation.handOff', note: 'Wants a person' },
    });
    const { acts, events, runs } = opened.desk;
    await runs.insertIfAbsent(run);
    assert.deepEqual([await once(1), await once(2)], [{ result: 'done' }, { result: 'done' }]);
    const { tenant, subject, agent, attachedAt, id: attachment } = run;
    const other = { tenant, subject, agent, attachedAt, channel: null, slot: parseSlot('following-up') };
    const question = { ...other, attachment: randomUUID() as AttachmentId };
    assert.equal(await acts.objection({ ...question, onHumanMessage: 'end' }), 'taken_over');
    assert.equal(await acts.objection({ ...question, onHumanMessage: 'ignore' }), null);
    assert.equal(await acts.objection({ ...question, onHumanMessage: 'end', attachedAt: at('10:00:07') }), null);
    assert.equal(await acts.objection({ ...question, ...run, attachment, onHumanMessage: 'end' }), null);
    const told = (await events.undelivered({ olderThanMs: 0, limit: 100 })).filter((one) => one.subject === subject);
    assert.deepEqual(told.map(({ type, humanTookOver }) => [type, humanTookOver]).at(-1), [
      'takeover',
      { cause: 'taken_over', actor: agent },
    ]);
    const { items } = await runs.timeline(attachment);
    assert.ok(!items.some((entry) => entry.entry === 'event' && entry.type === 'takeover'));
  });

  it('does not go out when the run alone has heard of a takeover after it was first asked', async () => {
    let asked = 0;
    const { calls, once, key } = await ready(async () =>
      Promise.resolve(++asked === 1 ? { permitted: true } : { permitted: false, reason: 'not_pending' }),
    );
    assert.deepEqual(await once(1), { result: 'refused', reason: 'not_pending' });
    assert.deepEqual([calls, (await opened.desk.ledger.get(key))?.state], [[], 'refused']);
  });

  it('does not go out while the run gives no answer, and is asked for again', async () => {
    let isAway = true;
    const { calls, once, key } = await ready(async () =>
      isAway ? Promise.reject(new Error('deadline exceeded')) : Promise.resolve({ permitted: true }),
    );
    assert.deepEqual(await once(1), { result: 'parked', reason: 'permit_unanswered', dueAt: at('10:00:10') });
    assert.deepEqual([calls, (await opened.desk.ledger.get(key))?.state], [[], 'claimed']);
    isAway = false;
    assert.deepEqual(await once(2), { result: 'done' });
  });

  it('waits with nothing in doubt when the run is paused after it was first asked', async () => {
    let [isPaused, asked] = [false, 0];
    const { calls, once, key } = await ready(async () => {
      const answer = isPaused ? { permitted: false, reason: 'paused' } : { permitted: true };
      isPaused = !isPaused && asked++ === 0;
      return Promise.resolve(answer);
    });
    assert.deepEqual(await once(1), { result: 'parked', reason: 'paused', dueAt: null });
    assert.deepEqual([calls, (await opened.desk.ledger.get(key))?.state], [[], 'claimed']);
    assert.deepEqual(await once(2), { result: 'done' });
  });

  it('waits four times as long each time that WhatsApp says “too many to this one person” (131056), up to five minutes', async () => {
    const [phoneNumberId, accessToken, appSecret] = ['100', 'token', 's'];
    const webhookUrl = 'http://127.0.0.1:9/';
    const graph = await startWhatsAppSimulator({ phoneNumberId, accessToken, appSecret, webhookUrl });
    const number = { kind: 'whatsapp', phoneNumberId, accessToken, appSecret, verifyToken: 'v', apiUrl: graph.url };
    const whatsapp = createWhatsAppChannel(WhatsAppConfig.parse(number));
    const { once, key } = await ready(async () => Promise.resolve({ permitted: true }), opened.desk, {
      channel: { hasServiceWindow: false, send: async (message) => whatsapp.send(message) },
    });
    graph.failNext({ kind: 'refuse', status: 400, code: 131056 }, 6);
    const waits = [];
    for (const performs of [0, 1, 2, 3, 4, 5]) {
      const { result, dueAt = '', reason } = (await once(1, performs)) as Record<string, string>;
      assert.deepEqual([result, reason], ['parked', 'rate_limited']);
      waits.push((Date.parse(dueAt) - Date.parse(at('10:00:05'))) / 1_000);
    }
    await graph.close();
    assert.deepEqual(waits, [6, 24, 96, 300, 300, 300]);
    assert.deepEqual([(await opened.desk.ledger.get(key))?.state, graph.received], ['claimed', []]);
  });

  it('has failed, and the operator is told, when the channel is still away as its time is over', async () => {
    const away = new ChannelError({ failure: 'outage', code: '503', message: 'away' });
    const channel: Partial<Channel> = { hasServiceWindow: false, send: async () => Promise.reject(away) };
    let clock = Date.parse(at('10:00:05'));
    const { once, key } = await ready(async () => Promise.resolve({ permitted: true }), opened.desk, {
      channel,
      deps: { clock: () => clock },
    });
    await assert.rejects(once(1), /away/);
    clock = Date.parse(at('10:00:00')) + 86_400_000;
    assert.deepEqual(await once(2), { result: 'failed', reason: 'outage: 503' });
    const row = await opened.desk.ledger.get(key);
    assert.deepEqual([row?.state, row?.reason], ['failed', 'outage: 503']);
  });

  it('goes out once, later, when the desk did not answer the last question', async () => {
    let isAway = true;
    const { desk } = opened;
    const away: typeof desk = {
      ...desk,
      acts: {
        ...desk.acts,
        objection: async (question) => {
          if (isAway) throw new Error('no answer');
          return desk.acts.objection(question);
        },
      },
    };
    const { calls, once, key } = await ready(async () => Promise.resolve({ permitted: true }), away);
    await assert.rejects(once(1), /no answer/);
    assert.equal((await desk.ledger.get(key))?.state, 'claimed', 'nothing is in doubt');
    isAway = false;
    assert.deepEqual(await once(2), { result: 'done' });
    assert.equal(calls.length, 1);
  });

  it('does not go out by answers of before its process was stopped, and leaves nothing in doubt', async () => {
    let [now, asked] = [Date.parse(at('10:00:05')), 0];
    const stopped: ActivityDeps['askPermit'] = async () => {
      // Its second answer lies there for a minute: somebody else may hold the conversation, or have made the call.
      if (++asked === 2) now += 60_000;
      return Promise.resolve({ permitted: true });
    };
    const { calls, once, key } = await ready(stopped, opened.desk, { deps: { clock: () => now } });
    await assert.rejects(once(1), /too late/);
    assert.deepEqual([calls, (await opened.desk.ledger.get(key))?.state], [[], 'claimed']);
  });

  it('waits out a call in doubt by the database’s clock, though this worker’s is a day ahead', async () => {
    const lookUps: string[] = [];
    const channel: Partial<Channel> = {
      hasServiceWindow: false,
      send: async () =>
        Promise.reject(new ChannelError({ failure: 'unknown_fate', code: 'cut', message: 'no answer came' })),
      findSent: async ({ reference }) => {
        lookUps.push(reference);
        return Promise.resolve({ found: 'no' });
      },
    };
    const ahead = () => Date.now() + 86_400_000;
    const { once } = await ready(async () => Promise.resolve({ permitted: true }), opened.desk, {
      channel,
      deps: { clock: ahead },
    });
    for (const attempt of [1, 2]) {
      const { result, reason } = (await once(attempt)) as { result: string; reason?: string };
      assert.deepEqual([result, reason], ['parked', 'ambiguous']);
    }
    assert.deepEqual(lookUps, [], 'nothing of the lost call can be ruled out yet');
  });
});
