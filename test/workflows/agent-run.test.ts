import assert from 'node:assert/strict';
import { defaultPayloadConverter } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { ChannelError } from '../../src/channels/channel-error.ts';
import { say } from '../../src/agents/effects.ts';
import { finish, reschedule } from '../../src/agents/outcomes.ts';
import { createRunClient } from '../../src/client/run-client.ts';
import type { EffectKey } from '../../src/domain/ids.ts';
import { ATTACHE_NEXT_RUN_AT } from '../../src/temporal/search-attributes.ts';
import { detached, humanTookOver, pause, resume, snooze, wakeNow } from '../../src/workflows/messages.ts';
import { ACME } from '../support/facts.ts';
import { gate } from '../support/gate.ts';
import { type Attached, RunRig, type TickOf } from '../support/run-rig.ts';
import { timeSkipping } from '../support/temporal.ts';
import { until } from '../support/until.ts';

const HOUR = 3_600_000;
/** What a worker on a busy machine may be late by: the server's clock goes on while nothing is skipped. */
const MINUTE = 60_000;
const DAY = 24 * HOUR;

describe('an attached agent, awake and asleep', () => {
  let environment: TestWorkflowEnvironment;
  let rig: RunRig;
  before(async function () {
    // Where nobody has made them yet: the bundle and a migrated desk.
    this.timeout(120_000);
    environment = await timeSkipping();
    rig = await RunRig.open(environment);
  });
  after(async () => {
    await rig.close();
    await environment.teardown();
  });

  const heard = ({ events }: TickOf) =>
    events.map((event) =>
      event.type === 'message.inbound' && event.data.content.kind === 'text' ? event.data.content.text : event.type,
    );

  it('wakes exactly when it said, again and again, and ends with what it decided', async () => {
    const late: number[] = [];
    const agent = rig.agent(({ tick, now, dueAt, state }) => {
      if (tick > 1) late.push(Date.parse(now) - Date.parse(dueAt));
      if (tick === 4) return finish({ status: 'COMPLETED', reason: 'goal_reached', state: { done: true } });
      return reschedule({ in: '6h', state: { n: Number(state['n'] ?? 0) + 1 }, effects: [say(`tick ${tick}`)] });
    });
    const run = await rig.attach(agent);
    const result = await run.handle.result();
    assert.deepEqual([result.status, result.reason, result.ticks], ['COMPLETED', 'goal_reached', 4]);
    assert.ok(
      late.every((ms) => ms >= 0 && ms < MINUTE),
      late.join(),
    );
    assert.deepEqual(rig.sentTo(run), ['tick 1', 'tick 2', 'tick 3']);
    const record = await rig.desk.runs.get(run);
    assert.deepEqual(
      [record?.status, record?.reason, record?.state, record?.nextRunAt],
      ['COMPLETED', 'goal_reached', { done: true }, null],
    );
  });

  it('says in Temporal alone what each timer, tick and effect is for, and nothing of what was said', async () => {
    const run = await rig.attach(
      rig.agent(({ tick }) => reschedule({ in: '1h', state: {}, effects: tick === 1 ? [say('Dear Maria')] : [] })),
    );
    await rig.asleep(run, 1);
    await environment.sleep(HOUR + 60_000);
    await rig.asleep(run, 2);
    const { events } = await run.handle.fetchHistory();
    const ours = (events ?? []).filter(
      (event) => event.activityTaskScheduledEventAttributes ?? event.timerStartedEventAttributes,
    );
    const told = ours.map(({ userMetadata }) =>
      defaultPayloadConverter.fromPayload<string>(userMetadata?.summary ?? {}),
    );
    assert.ok(ours.length >= 6);
    for (const summary of told) assert.match(summary, /^(prepare|tick \d|message\.send|next run)/);
    assert.doesNotMatch(told.join(), /Maria/);
    await rig.end(run);
  });

  it('costs at most twelve history events a plain wake-up', async () => {
    const agent = rig.agent(() => reschedule({ in: '1h', state: {} }));
    const run = await rig.attach(agent);
    await rig.asleep(run, 1);
    const before = (await run.handle.describe()).historyLength;
    await environment.sleep(10 * HOUR + 60_000);
    await rig.asleep(run, 11);
    const perTick = ((await run.handle.describe()).historyLength - before) / 10;
    assert.ok(perTick <= 12, `${perTick} events`);
    await rig.end(run);
  });

  it('tells Temporal’s lists its due time to the minute, however often it wakes', async () => {
    const agent = rig.agent(({ tick }) => reschedule({ in: tick < 61 ? '10s' : '2d', state: {} }));
    const run = await rig.attach(agent);
    await rig.asleep(run, 1);
    await environment.sleep(10 * 60_000 + 5_000);
    await rig.asleep(run, 61);
    const { events } = await run.handle.fetchHistory();
    const published =
      events?.filter((event) => event.upsertWorkflowSearchAttributesEventAttributes != null).length ?? 0;
    // The first, ten or eleven minutes, and the one by which Temporal finds runs of this shape.
    assert.ok(published >= 10 && published <= 13, `${published} times`);
    const shown = (await run.handle.describe()).typedSearchAttributes.get(ATTACHE_NEXT_RUN_AT)?.getTime() ?? 0;
    const { nextRunAt } = await rig.view(run);
    assert.ok(Math.abs(Date.parse(nextRunAt ?? '') - shown) < 60_000);
    await rig.end(run);
  });

  it('answers a burst once, with everything that was said', async () => {
    const ticks: string[][] = [];
    const agent = rig.agent(
      (tick) => {
        ticks.push(heard(tick));
        return reschedule({ in: '2d', state: {}, effects: tick.events.length > 0 ? [say('one answer')] : [] });
      },
      { policy: { debounce: { quiet: '2m', max: '8m' } } },
    );
    const run = await rig.attach(agent);
    await rig.asleep(run, 1);
    for (const words of ['hi', 'I would like to know', 'how much it is']) {
      await rig.customerSays(run, words);
      await environment.sleep(40_000);
    }
    await environment.sleep(10 * MINUTE);
    await rig.asleep(run, 2);
    assert.deepEqual(ticks, [[], ['hi', 'I would like to know', 'how much it is']]);
    assert.deepEqual(rig.sentTo(run), ['one answer']);
    await rig.end(run);
  });

  it('throws a draft away that the customer has overtaken, and answers everything at once', async () => {
    const thinking = gate();
    const agent = rig.agent(async (tick) => {
      if (tick.events.length === 0) return reschedule({ in: '2d', state: {} });
      await thinking.opened;
      return reschedule({ in: '2d', state: {}, effects: [say(`you said: ${heard(tick).join(', ')}`)] });
    });
    const run = await rig.attach(agent);
    await rig.asleep(run, 1);
    await rig.customerSays(run, 'first');
    await environment.sleep(2_000);
    await rig.until(run, ({ phase, ticks }) => phase === 'thinking' && ticks === 2);
    await rig.customerSays(run, 'second');
    await environment.sleep(3_000);
    await rig.until(run, ({ phase, ticks }) => phase === 'thinking' && ticks === 3);
    await rig.customerSays(run, 'third');
    await environment.sleep(3_000);
    await rig.until(run, ({ phase, ticks }) => phase === 'thinking' && ticks === 4);
    thinking.open();
    await rig.asleep(run, 4);
    assert.deepEqual(rig.sentTo(run), ['you said: first, second, third']);
    await rig.end(run);
  });

  it('sleeps 25 days and 364 days to the minute, and not a tick earlier', async () => {
    const woke: number[] = [];
    const agent = rig.agent(({ tick, now, dueAt }) => {
      woke.push(tick === 1 ? 0 : Date.parse(now) - Date.parse(dueAt));
      if (tick === 3) return finish({ status: 'COMPLETED', reason: 'goal_reached', state: {} });
      return reschedule({ in: tick === 1 ? '25d' : '364d', state: {} });
    });
    const start = await rig.now();
    const run = await rig.attach(agent);
    await run.handle.result();
    assert.equal(woke.length, 3);
    assert.ok(
      woke.every((late) => late >= 0 && late < MINUTE),
      woke.join(),
    );
    assert.ok((await rig.now()) - start >= 389 * DAY);
  });

  it('is quiet and not deaf while paused: one tick when it is resumed, with everything', async () => {
    const ticks: string[][] = [];
    const agent = rig.agent((tick) => {
      ticks.push(heard(tick));
      return reschedule({ in: '1h', state: {} });
    });
    const run = await rig.attach(agent);
    await rig.asleep(run, 1);
    const paused = await run.handle.executeUpdate(pause, { args: [{ actor: 'ana', comment: 'holiday' }] });
    assert.deepEqual([paused.phase, paused.actor, paused.comment], ['paused', 'ana', 'holiday']);
    await rig.customerSays(run, 'anybody there?');
    await environment.sleep(5 * HOUR);
    assert.equal((await rig.view(run)).ticks, 1);
    await run.handle.executeUpdate(resume, { args: [{ actor: 'ana' }] });
    const view = await rig.asleep(run, 2);
    assert.deepEqual(ticks, [[], ['anybody there?']]);
    assert.ok(Date.parse(view.nextRunAt ?? '') > (await rig.now()));
    await rig.end(run);
  });

  it('is snoozed and woken by an operator, who is told what follows', async () => {
    const agent = rig.agent(({ why }) => reschedule({ in: '1h', state: { why } }));
    const run = await rig.attach(agent);
    await rig.asleep(run, 1);
    const until = new Date((await rig.now()) + 3 * DAY).toISOString();
    const snoozed = await run.handle.executeUpdate(snooze, { args: [{ actor: 'ana', until }] });
    assert.deepEqual([snoozed.nextRunAt, snoozed.nextRunWhy], [until, 'snoozed by ana']);
    await environment.sleep(2 * DAY);
    assert.equal((await rig.view(run)).ticks, 1);
    await run.handle.executeUpdate(wakeNow, { args: [{ actor: 'ana' }] });
    assert.deepEqual((await rig.asleep(run, 2)).state, { why: 'operator' });
    await rig.end(run);
  });

  it('tells the desk, once and before it acts on it, what was asked of it over Temporal alone', async () => {
    const known: string[][] = [];
    const acts = async (run: Attached) => {
      const { items } = await rig.desk.runs.timeline(run.id, { limit: 50 });
      return items.flatMap((one) => (one.entry === 'act' ? [[one.act, one.actor, one.comment ?? '']] : []));
    };
    const agent = rig.agent(async ({ tick }) => {
      if (tick > 1) known.push((await acts(run)).map(([act = '']) => act));
      return reschedule({ in: '2d', state: {} });
    });
    const run = await rig.attach(agent);
    await rig.asleep(run, 1);
    const crm = createRunClient(environment.client);
    const server = createRunClient(environment.client, { isRecorded: true });
    await server.wakeNow(run, { actor: 'api/ana' });
    await rig.asleep(run, 2);
    await crm.wakeNow(run, { actor: 'crm', comment: 'paid' });
    await rig.asleep(run, 3);
    await server.pause(run, { actor: 'api/ana' });
    await crm.resume(run, { actor: 'crm' });
    await Promise.all([
      crm.pause(run, { actor: 'crm', comment: 'last' }),
      run.handle.signal(detached, { actor: 'ana', at: new Date(await rig.now()).toISOString() }),
    ]).catch(() => undefined);
    await run.handle.result();
    const told = (await acts(run)).filter(([, actor]) => actor === 'crm');
    assert.deepEqual(told.slice(0, 2), [
      ['wake', 'crm', 'paid'],
      ['resume', 'crm', ''],
    ]);
    assert.deepEqual(known.at(-1), ['attach', 'wake'], 'known when it woke');
    const { events } = await run.handle.fetchHistory();
    const tellings = (events ?? []).filter(
      ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name === 'takeBack',
    );
    assert.ok(tellings.length >= 2 && tellings.length <= 3, 'nothing is told of what the server has written down');
    const { items: audit } = await rig.desk.audit.list({ tenant: ACME, target: `${run.subject}/answering`, limit: 10 });
    assert.deepEqual(
      audit
        .map(({ act, actor }) => [act, actor])
        .reverse()
        .slice(0, 2),
      [
        ['runs.wake', 'crm'],
        ['runs.resume', 'crm'],
      ],
    );
  });

  it('refuses an instant it cannot read or keep, and goes on', async () => {
    const run = await rig.attach(rig.agent(() => reschedule({ in: '1h', state: {} })));
    const far = new Date((await rig.now()) + 500 * DAY).toISOString();
    for (const until of ['tomorrow', far])
      await assert.rejects(run.handle.executeUpdate(snooze, { args: [{ actor: 'ana', until }] }));
    assert.equal((await rig.asleep(run, 1)).status, 'IN_PROGRESS');
    const named = { name: 'InvalidInputError', message: /^until: must be/ };
    await assert.rejects(createRunClient(environment.client).snooze(run, { actor: 'ana', until: far }), named);
    await rig.end(run);
  });

  it('hears what was said before it was prepared', async () => {
    const ticks: string[][] = [];
    const agent = rig.agent((tick) => {
      ticks.push(heard(tick));
      return reschedule({ in: '2d', state: {} });
    });
    const firstRunAt = new Date((await rig.now()) + DAY).toISOString();
    const preparing = gate();
    rig.beforePrepare = () => preparing.opened;
    const run = await rig.attach(agent, { firstRunAt });
    await rig.customerSays(run, 'hello?');
    preparing.open();
    await rig.until(run, ({ phase, ticks }) => phase === 'debouncing' || ticks > 0);
    await environment.sleep(2_100);
    await rig.asleep(run, 1);
    assert.deepEqual(ticks, [['hello?']]);
    await rig.end(run);
  });

  it('goes on beside a human where its policy ignores them', async () => {
    const agent = rig.agent(() => reschedule({ in: '1h', state: {} }), { policy: { onHumanMessage: 'ignore' } });
    const run = await rig.attach(agent);
    await rig.asleep(run, 1);
    const at = new Date(await rig.now()).toISOString();
    await run.handle.signal(humanTookOver, { cause: 'human_replied', at, actor: 'bob' });
    await environment.sleep(HOUR + MINUTE);
    assert.equal((await rig.asleep(run, 2)).status, 'IN_PROGRESS');
    await rig.end(run);
  });

  it('tells the desk at once what a customer has made unwanted, also where that wakes nobody for weeks', async () => {
    rig.onSend = () => {
      throw new ChannelError({ failure: 'rate_limited', code: '429', message: 'slow down', retryAfterMs: HOUR });
    };
    const idea = [say('an idea', { proactive: true })];
    const run = await rig.attach(
      rig.agent(() => reschedule({ in: '30d', state: {}, effects: idea }), { wakeOn: [], answers: false }),
    );
    const { pendingEffects } = await rig.until(run, (view) => view.pendingEffects[0]?.state === 'parked');
    rig.onSend = () => undefined;
    await rig.customerSays(run, 'hello');
    const key = pendingEffects[0]?.key as EffectKey;
    const row = await until('the desk to be told', async () => {
      const found = await rig.desk.ledger.get(key);
      return found?.state === 'cancelled' && found;
    });
    assert.deepEqual([row.reason, (await rig.view(run)).ticks], ['customer_wrote', 1]);
    await rig.end(run);
  });

  it('takes back what was parked when it ends, and gives an end’s own effects a day', async () => {
    rig.onSend = () => {
      throw new ChannelError({ failure: 'rate_limited', code: '429', message: 'slow down', retryAfterMs: HOUR });
    };
    const agent = rig.agent(({ tick }) =>
      tick === 1
        ? reschedule({ in: '1h', state: {}, effects: [say('parked')] })
        : finish({ status: 'COMPLETED', reason: 'gave_up', state: {}, effects: [say('bye')] }),
    );
    const run = await rig.attach(agent);
    const begun = await rig.now();
    await rig.until(run, ({ pendingEffects }) => pendingEffects[0]?.state === 'parked');
    const { status, reason } = await run.handle.result();
    rig.onSend = () => undefined;
    assert.deepEqual([status, reason], ['COMPLETED', 'gave_up']);
    assert.ok((await rig.now()) - begun >= 25 * HOUR);
    const { items: timeline } = await rig.desk.runs.timeline(run.id);
    const effects = timeline.flatMap((entry) => (entry.entry === 'effect' ? [`${entry.text} ${entry.state}`] : []));
    assert.deepEqual(effects.sort(), ['bye failed', 'parked cancelled']);
  });

  it('sends nothing of its end any more once a person has come in, and leaves them the conversation', async () => {
    rig.onSend = () => {
      throw new ChannelError({ failure: 'rate_limited', code: '429', message: 'slow down', retryAfterMs: HOUR });
    };
    const agent = rig.agent(() =>
      finish({ status: 'COMPLETED', reason: 'gave_up', state: {}, effects: [say('shall we go on?')] }),
    );
    const run = await rig.attach(agent);
    await rig.until(run, ({ pendingEffects }) => pendingEffects[0]?.state === 'parked');
    rig.onSend = () => undefined;
    const at = new Date(await rig.now()).toISOString();
    await run.handle.signal(humanTookOver, { cause: 'taken_over', at, actor: 'ana', explicit: true });
    const { status, reason } = await run.handle.result();
    assert.deepEqual([status, reason], ['COMPLETED', 'gave_up']);
    assert.equal((await rig.desk.conversations.get(run.tenant, run.conversation))?.owner, 'human');
    await environment.sleep(2 * HOUR);
    assert.deepEqual(rig.sentTo(run), []);
  });
});
