import assert from 'node:assert/strict';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { note, say } from '../../src/agents/effects.ts';
import { finish, reschedule } from '../../src/agents/outcomes.ts';
import type { AttachmentId } from '../../src/domain/ids.ts';
import { detached, humanTookOver, snooze, wakeNow } from '../../src/workflows/messages.ts';
import { gate } from '../support/gate.ts';
import { RunRig, type Attached } from '../support/run-rig.ts';
import { devServer } from '../support/temporal.ts';

const DAY = 86_400_000;

describe('an attached agent, interrupted', () => {
  let environment: TestWorkflowEnvironment;
  let rig: RunRig;
  before(async function () {
    // Where nobody has made them yet: the bundle and a migrated desk.
    this.timeout(120_000);
    environment = await devServer();
    rig = await RunRig.open(environment);
  });
  after(async () => {
    await rig.close();
    await environment.teardown();
  });
  afterEach(() => {
    rig.onSend = () => undefined;
    rig.beforePermit = async () => undefined;
    rig.beforeRecordEnd = async () => undefined;
    rig.beforeTick = async () => undefined;
  });

  async function endOf(run: Attached): Promise<readonly [string, string | null]> {
    const { status, reason } = await run.handle.result();
    const record = await rig.desk.runs.get(run);
    assert.deepEqual([record?.status, record?.reason], [status, reason], 'desk and run disagree');
    return [status, reason];
  }
  /** Ticks once, says hello, and is due in two days. */
  const greeter = (more: Parameters<RunRig['agent']>[1] = {}) =>
    rig.agent(({ tick }) => reschedule({ in: '2d', state: {}, effects: [say(`hello ${tick}`)] }), more);

  it('that sleeps is gone at once when it is detached, twice is as once, and nothing runs later', async () => {
    const run = await rig.attach(greeter());
    await rig.asleep(run, 1);
    await rig.detach(run);
    await rig.detach(run).catch(() => undefined);
    const result = await run.handle.result();
    assert.deepEqual(
      [result.status, result.reason, result.actor, result.ticks],
      ['REMOVED_BY_USER', 'detached', 'ana', 1],
    );
    assert.deepEqual(rig.sentTo(run), ['hello 1']);
    assert.deepEqual(await endOf(run), ['REMOVED_BY_USER', 'detached']);
  });

  it('that thinks is interrupted, and what it still says is thrown away', async () => {
    const stopped = gate();
    const agent = rig.agent(async ({ signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      stopped.open();
      return reschedule({ in: '1h', state: {}, effects: [say('too late')] });
    });
    const run = await rig.attach(agent);
    await rig.until(run, ({ phase }) => phase === 'thinking');
    await rig.takeOver(run);
    assert.deepEqual(await endOf(run), ['EXITED_ON_OUTBOUND', 'taken_over']);
    await stopped.opened;
    assert.deepEqual(rig.sentTo(run), []);
    assert.equal((await rig.desk.conversations.get(run.tenant, run.conversation))?.owner, 'human');
  });

  it('ends at once although the tick that it interrupts does not answer', async () => {
    const [began, ended] = [gate(), gate()];
    rig.beforeTick = async () => {
      began.open();
      await ended.opened;
    };
    const run = await rig.attach(greeter());
    await began.opened;
    await rig.takeOver(run);
    assert.deepEqual(await endOf(run), ['EXITED_ON_OUTBOUND', 'taken_over']);
    assert.deepEqual(await ticksUnderWay(run), ['begun'], 'its worker was not waited for');
    ended.open();
  });

  it('thinks once at a time: a tick begins after the one that was interrupted for it is over', async () => {
    const agent = rig.agent(
      async ({ tick, signal }) => {
        if (tick < 3) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        return reschedule({ in: '2d', state: {}, effects: [say(`answer ${tick}`)] });
      },
      { policy: { debounce: { quiet: '0s', max: '0s' } } },
    );
    const run = await rig.attach(agent);
    for (const tick of [1, 2]) {
      await rig.until(run, ({ phase, ticks }) => phase === 'thinking' && ticks === tick);
      await rig.customerSays(run, `words ${tick}`);
    }
    await rig.asleep(run, 3);
    assert.deepEqual(rig.sentTo(run), ['answer 3']);
    assert.deepEqual(await ticksUnderWay(run), ['begun', 'over', 'begun', 'over', 'begun', 'over']);
    await rig.end(run);
  });

  /** By the history: a cancelled tick is over when its worker, or Temporal, has said so. */
  async function ticksUnderWay(run: Attached): Promise<string[]> {
    const { events } = await run.handle.fetchHistory();
    const ticks = new Set<string>();
    return (events ?? []).flatMap((event) => {
      const scheduled = event.activityTaskScheduledEventAttributes;
      if (scheduled?.activityType?.name === 'tick') {
        ticks.add(String(event.eventId));
        return 'begun';
      }
      const closed =
        event.activityTaskCompletedEventAttributes ??
        event.activityTaskCanceledEventAttributes ??
        event.activityTaskTimedOutEventAttributes;
      return ticks.has(String(closed?.scheduledEventId)) ? 'over' : [];
    });
  }

  for (const [when, before] of [
    ['50 ms before', 50],
    ['right at', 0],
    ['50 ms after', -50],
  ] as const)
    it(`sends nothing when it is taken over ${when} its due time`, async () => {
      const agent = rig.agent(({ tick }) =>
        reschedule({ in: '1h', state: {}, effects: tick === 1 ? [] : [say('a follow-up')] }),
      );
      const [dispatched, taken] = [gate(), gate()];
      const run = await rig.attach(agent);
      await rig.asleep(run, 1);
      // Dispatched, nothing sent yet: no permit is asked for before the takeover, however late this machine has it come.
      rig.beforePermit = async () => {
        dispatched.open();
        await taken.opened;
      };
      const due = (await rig.now()) + 1_000;
      await run.handle.executeUpdate(snooze, { args: [{ actor: 'ana', until: new Date(due).toISOString() }] });
      await environment.sleep(Math.max(0, due - before - (await rig.now())));
      if (before < 0) await dispatched.opened;
      await rig.takeOver(run);
      taken.open();
      assert.deepEqual(await endOf(run), ['EXITED_ON_OUTBOUND', 'taken_over']);
      assert.deepEqual(rig.sentTo(run), []);
    });

  it('sends nothing for a takeover that the desk has and Temporal has not', async () => {
    const agent = rig.agent(({ tick }) => reschedule({ in: '1h', state: {}, effects: tick === 1 ? [] : [say('hm')] }));
    const run = await rig.attach(agent);
    await rig.asleep(run, 1);
    const { tenant, subject, slot, id } = run;
    const at = new Date().toISOString();
    await rig.desk.acts.record({
      tenant,
      subject,
      slot,
      attachment: id,
      act: 'takeover',
      actor: 'ana',
      comment: null,
      at,
    });
    await run.handle.executeUpdate(wakeNow, { args: [{ actor: 'bob' }] });
    await rig.asleep(run, 2);
    assert.deepEqual(rig.sentTo(run), []);
    await rig.end(run);
  });

  it('takes no notice of what is meant for an earlier attachment', async () => {
    const run = await rig.attach(greeter());
    await rig.asleep(run, 1);
    const at = new Date(Date.now() - DAY).toISOString();
    await run.handle.signal(humanTookOver, { cause: 'taken_over', at, actor: 'ana', explicit: true });
    const now = new Date().toISOString();
    await run.handle.signal(detached, { at: now, actor: 'ana', attachment: 'an-earlier-one' as AttachmentId });
    const view = await run.handle.executeUpdate(wakeNow, { args: [{ actor: 'bob' }] });
    assert.equal(view.status, 'IN_PROGRESS');
    await rig.asleep(run, 2);
    await rig.end(run);
  });

  it('is detached by Temporal’s own cancel', async () => {
    const run = await rig.attach(greeter());
    await rig.asleep(run, 1);
    await run.handle.cancel();
    const { status, reason, actor } = await run.handle.result();
    assert.deepEqual([status, reason, actor], ['REMOVED_BY_USER', 'detached', 'temporal']);
  });

  it('ends when the customer opts out, before the debounce is over', async () => {
    const run = await rig.attach(greeter());
    await rig.asleep(run, 1);
    await rig.customerSays(run, 'STOP');
    assert.deepEqual(await endOf(run), ['EXITED_ON_INBOUND', 'opted_out']);
  });

  for (const [when, nth, expected, sent] of [
    ['before the last effect of its end has started', '1', 'EXITED_ON_OUTBOUND', ['1']],
    ['once the last effect of its end has started', '2', 'COMPLETED', ['1', '2']],
  ] as const)
    it(`that is taken over ${when} ends ${expected}`, async () => {
      const effects = [say('1'), say('2')];
      const agent = rig.agent(() => finish({ status: 'COMPLETED', reason: 'goal_reached', state: {}, effects }));
      const preparing = gate();
      rig.beforePrepare = () => preparing.opened;
      const run = await rig.attach(agent);
      rig.onSend = async ({ content }) => {
        if (content.kind !== 'text' || content.text !== nth) return;
        const at = new Date().toISOString();
        await run.handle.signal(humanTookOver, { cause: 'taken_over', at, actor: 'ana', explicit: true });
        await rig.until(run, () => true);
      };
      preparing.open();
      assert.equal((await endOf(run))[0], expected);
      // A call that was under way may have gone through, and is told as what it is; none began after it.
      assert.deepEqual(
        rig.sentTo(run).filter((text) => text !== nth),
        sent.filter((text) => text !== nth),
      );
    });

  it('that is taken over while its end is being recorded leaves the conversation to that person', async () => {
    const recording = gate();
    const goOn = gate();
    rig.beforeRecordEnd = async () => {
      recording.open();
      await goOn.opened;
    };
    const run = await rig.attach(rig.agent(() => finish({ status: 'COMPLETED', reason: 'goal_reached', state: {} })));
    await recording.opened;
    const at = new Date().toISOString();
    await run.handle.signal(humanTookOver, { cause: 'taken_over', at, actor: 'ana', explicit: true });
    goOn.open();
    assert.deepEqual(await endOf(run), ['COMPLETED', 'goal_reached']);
    assert.equal((await rig.desk.conversations.get(run.tenant, run.conversation))?.owner, 'human');
  });

  it('leaves what it has not consumed to whoever comes next', async () => {
    const run = await rig.attach(greeter({ policy: { debounce: { quiet: '1m', max: '4m' } } }));
    await rig.asleep(run, 1);
    await rig.customerSays(run, 'one more thing', 'last-words');
    await rig.detach(run);
    await run.handle.result();
    const [event] = (await rig.desk.events.list({ tenant: run.tenant, subject: run.subject, limit: 5 })).items;
    assert.equal(event?.status, 'stored');
  });

  it('does its notes and messages in order', async () => {
    const run = await rig.attach(
      rig.agent(() => reschedule({ in: '2d', state: {}, effects: [say('a'), note('for us'), say('b')] })),
    );
    await rig.until(run, () => rig.sentTo(run).length === 2);
    assert.deepEqual(rig.sentTo(run), ['a', 'b']);
    await rig.end(run);
  });
});
