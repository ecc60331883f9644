import assert from 'node:assert/strict';
import { sql } from 'drizzle-orm';
import { ChannelError } from '../../src/channels/channel-error.ts';
import type { Desk, RunRecord } from '../../src/desk/desk.ts';
import { type Subject } from '../../src/domain/ids.ts';
import { performer } from '../support/contact-rules.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { accepted, ACME, aRun, at, channelFact, text } from '../support/facts.ts';

describe('the rules of contact, as effects meet them', () => {
  let opened: TestDesk;
  let desk: Desk;
  before(async () => {
    opened = await openTestDesk();
    desk = opened.desk;
  });
  after(() => opened.close());

  let people = 0;
  const hears = async (
    address: string,
    words: string,
    { clock = '09:00:00', channel = 'whatsapp:100', ref = {} } = {},
  ) =>
    accepted(
      await desk.intake.store(
        channelFact(address, { type: 'message.inbound', time: at(clock), data: text(words), ref }, channel),
      ),
    ).event.subject as Subject;
  const attached = async (subject: Subject, over: Parameters<typeof aRun>[1] = {}) => {
    const run = aRun(subject, over);
    await desk.runs.insertIfAbsent(run);
    return run;
  };
  const newcomer = async (ref = {}) => {
    const address = `55119000${++people}`;
    return { address, run: await attached(await hears(address, 'Hi', { ref })) };
  };
  const idea = { kind: 'message.send', text: 'Still interested?', proactive: true } as const;
  const effectOf = async (run: { id: string }) =>
    (await desk.runs.timeline(run.id as never)).items.find((entry) => entry.entry === 'effect');

  it('holds a message back on a holiday of the contact’s country, and shows why and until when', async () => {
    const { run } = await newcomer({ country: 'BR', timeZone: 'America/Sao_Paulo' });
    const { sent, perform } = performer(desk, { now: at('12:00:00'), country: 'US' });
    const until = '2026-12-01T03:00:00.000Z';
    assert.deepEqual(await perform({ run, effect: idea, policy: { holidays: 'observe' } }), {
      result: 'parked',
      reason: 'holiday',
      dueAt: until,
    });
    const { state, reason, dueAt } = (await effectOf(run)) as { state: string; reason: string; dueAt: string };
    assert.deepEqual([state, reason, dueAt, sent.length], ['claimed', 'holiday', until, 0]);
  });

  it('takes the country of the policy before the contact’s, and the tenant’s after it', async () => {
    const { run } = await newcomer({ country: 'BR' });
    const { run: nobodys } = await newcomer();
    const { perform } = performer(desk, { now: at('12:00:00'), country: 'BR' });
    const policy = { holidays: 'observe', country: 'US' } as const;
    assert.equal((await perform({ run, effect: idea, policy })).result, 'done');
    assert.equal((await perform({ run: nobodys, effect: idea, policy: { holidays: 'observe' } })).result, 'parked');
    const careless = await newcomer({ country: 'BR' });
    assert.equal((await perform({ run: careless.run, effect: idea })).result, 'done');
  });

  it('forgets why a message waited once it has gone out', async () => {
    const { run } = await newcomer();
    const office = [{ days: ['mon' as const], from: '15:00', to: '18:00' }];
    const early = performer(desk, { now: at('12:00:00') });
    assert.deepEqual(await early.perform({ run, effect: idea, policy: { workingHours: office } }), {
      result: 'parked',
      reason: 'working_hours',
      dueAt: at('15:00:00'),
    });
    const open = performer(desk, { now: at('15:00:00') });
    assert.equal((await open.perform({ run, effect: idea, policy: { workingHours: office } })).result, 'done');
    const { state, reason, dueAt } = (await effectOf(run)) as { state: string; reason: string; dueAt: string };
    assert.deepEqual([state, reason, dueAt, open.sent.length], ['sent', null, null, 1]);
  });

  it('stops all that goes out by a channel whose provider refuses us, lets one message try, and goes on once that is taken', async () => {
    const key = 'whatsapp:190';
    const refusal = new ChannelError({ failure: 'unauthorized', code: '190', message: 'expired' });
    let isMended = false;
    let asked = 0;
    const channel = {
      key,
      async send() {
        asked += 1;
        if (!isMended) throw refusal;
        return { providerId: `wamid.190.${asked}` };
      },
    };
    const { perform } = performer(desk, { now: at('12:00:00'), channel });
    const [one, other] = await Promise.all(
      ['5511800001', '5511800002'].map(async (who) => attached(await hears(who, 'Hi', { channel: key }))),
    );
    assert.ok(one && other);
    const say = { kind: 'message.send', text: 'Hello', proactive: false } as const;
    const overNow = async () => opened.desk.database.execute(sql`update shut_channels set until = clock_timestamp()`);
    const result = async (run: RunRecord) => {
      const performed = await perform({ run, effect: say });
      return performed.result === 'parked' ? [performed.reason, asked] : [performed.result, asked];
    };
    assert.deepEqual(await result(one), ['unauthorized: 190', 1]);
    assert.deepEqual(await result(other), ['channel_shut', 1]);
    await overNow();
    assert.deepEqual(
      [await result(other), await result(one)],
      [
        ['unauthorized: 190', 2],
        ['channel_shut', 2],
      ],
    );
    const [shut] = await desk.shutChannels.list(ACME);
    assert.deepEqual([shut?.channel, shut?.code], [key, '190']);
    await overNow();
    isMended = true;
    assert.deepEqual(
      [await result(one), await result(other)],
      [
        ['done', 3],
        ['done', 4],
      ],
    );
    assert.deepEqual(await desk.shutChannels.list(ACME), []);
  });

  it('learns from the answer to a message by what other names its person may write', async () => {
    const subject = await hears('5215512345678', 'Hi');
    const channel = { send: async () => ({ providerId: 'wamid.names', names: ['525512345678', 'MX.77'] }) };
    const { perform } = performer(desk, { now: at('12:00:00'), channel });
    const say = { kind: 'message.send', text: 'Hello', proactive: false } as const;
    assert.deepEqual(await perform({ run: await attached(subject), effect: say }), { result: 'done' });
    assert.equal(await hears('MX.77', 'It is me', { clock: '12:01:00' }), subject);
  });

  it('shows why a message was refused', async () => {
    const { run } = await newcomer();
    const { perform } = performer(desk, { now: at('12:00:00') });
    const refused = await perform({ run, effect: { ...idea, notAfter: at('11:00:00') } });
    assert.deepEqual(refused, { result: 'refused', reason: 'too_late' });
    const { state, reason } = (await effectOf(run)) as { state: string; reason: string };
    assert.deepEqual([state, reason], ['refused', 'too_late']);
  });

  it('refuses every send to somebody who opted out, in any conversation and by any agent, until they opt in', async () => {
    const { address, run } = await newcomer();
    const other = await attached(await hears(address, 'Hi', { channel: 'whatsapp:200' }), {
      slot: 'follow-up' as never,
    });
    await hears(address, 'Stop', { clock: '09:10:00' });
    const { sent, perform } = performer(desk, { now: at('12:00:00'), channel: { hasServiceWindow: false } });
    const answer = { kind: 'message.send', text: 'Hello' } as const;
    for (const [n, each] of [run, other].entries())
      assert.deepEqual(await perform({ run: each, effect: answer, n }), { result: 'refused', reason: 'opted_out' });
    await hears(address, 'start', { clock: '09:20:00' });
    assert.equal((await perform({ run, effect: answer, n: 7 })).result, 'done');
    assert.equal(sent.length, 1);
  });

  it('writes no marketing to whoever stopped it, in any conversation and by any agent, until they resume it', async () => {
    const { address, run } = await newcomer();
    const other = await attached(await hears(address, 'Hi', { channel: 'whatsapp:200' }), {
      slot: 'follow-up' as never,
    });
    const template = { name: 'sale', language: 'en', category: 'marketing' } as const;
    const offers = [
      { ...idea, marketing: true },
      { ...idea, template },
    ] as const;
    const prefers = async (marketing: string, clock: string) =>
      desk.intake.store(channelFact(address, { type: 'contact.updated', time: at(clock), data: { marketing } }));
    const { sent, perform } = performer(desk, { now: at('12:00:00'), channel: { hasServiceWindow: false } });
    await prefers('stopped', '09:10:00');
    for (const [n, offer] of offers.entries())
      for (const each of [run, other])
        assert.deepEqual(await perform({ run: each, effect: offer, n }), {
          result: 'refused',
          reason: 'marketing_stopped',
        });
    assert.equal((await perform({ run, effect: idea, n: 2 })).result, 'done');
    await prefers('resumed', '09:20:00');
    assert.equal((await perform({ run, effect: offers[0], n: 3 })).result, 'done');
    assert.equal(sent.length, 2);
  });

  it('learns from a refusal that a person has stopped marketing, and tries no more of it on them', async () => {
    const { run } = await newcomer();
    const stopped = new ChannelError({ failure: 'marketing_stopped', code: '131050', message: 'stopped' });
    let asked = 0;
    const send = async () => {
      asked += 1;
      return Promise.reject(stopped);
    };
    const { perform } = performer(desk, { now: at('12:00:00'), channel: { send } });
    const unmarked = { ...idea, template: { name: 'sale', language: 'en' } };
    assert.deepEqual(await perform({ run, effect: unmarked }), {
      result: 'failed',
      reason: 'marketing_stopped: 131050',
    });
    const { state } = (await effectOf(run)) as { state: string };
    assert.equal(state, 'failed');
    assert.deepEqual(await perform({ run, effect: { ...idea, marketing: true }, n: 1 }), {
      result: 'refused',
      reason: 'marketing_stopped',
    });
    assert.equal(asked, 1);
  });

  it('writes to one person no faster than the provider takes it, and to others meanwhile', async () => {
    const [{ run }, { run: another }] = [await newcomer(), await newcomer()];
    const perContact = { perSecond: 1 / 3_600, burst: 2 };
    const { sent, perform } = performer(desk, { now: at('09:00:10'), channel: { perContact } });
    const answer = { kind: 'message.send', text: 'Hello' } as const;
    const results = [];
    for (const n of [0, 1, 2]) results.push(await perform({ run, effect: answer, n }));
    const third = results[2];
    assert.deepEqual([results[0]?.result, results[1]?.result, third?.result], ['done', 'done', 'parked']);
    assert.equal(third?.result === 'parked' && third.reason, 'contact_rate');
    assert.equal((await perform({ run: another, effect: answer })).result, 'done');
    assert.equal(sent.length, 3);
  });

  it('counts what reached its reader, by number and month', async () => {
    const { run } = await newcomer();
    const { perform } = performer(desk, {
      now: at('09:00:10'),
      channel: { send: async () => ({ providerId: 'wamid.M' }) },
    });
    const before = await desk.conversations.delivered({ tenant: ACME, since: at('00:00:00') });
    await perform({ run, effect: { kind: 'message.send', text: 'Hello' } });
    const status = (name: string) =>
      channelFact('x', { type: 'message.status', time: at('09:00:11'), data: { providerId: 'wamid.M', status: name } });
    const count = async () => {
      const all = await desk.conversations.delivered({ tenant: ACME, since: at('00:00:00') });
      return all.find(({ channel }) => channel === 'whatsapp:100') ?? null;
    };
    assert.deepEqual([before, await count()], [[], null]);
    await desk.intake.store(status('delivered'));
    await desk.intake.store(status('read'));
    assert.deepEqual(await count(), { channel: 'whatsapp:100', month: '2026-11', service: 1, template: 0 });
  });
});
