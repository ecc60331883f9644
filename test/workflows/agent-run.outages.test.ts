import assert from 'node:assert/strict';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { say } from '../../src/agents/effects.ts';
import { reschedule } from '../../src/agents/outcomes.ts';
import { createRegistry } from '../../src/agents/registry.ts';
import { createRunClient } from '../../src/client/run-client.ts';
import type { EventRef } from '../../src/domain/event-refs.ts';
import { nextRunSteps } from '../../src/domain/next-wake.ts';
import { runFromDesk } from '../../src/http/run-views.ts';
import { createIntake } from '../../src/intake/intake.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { eventArrived, wakeNow } from '../../src/workflows/messages.ts';
import { fact } from '../support/facts.ts';
import { RunRig, type Attached } from '../support/run-rig.ts';
import { timeSkipping } from '../support/temporal.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('an attached agent, while others are down or repeat themselves', () => {
  let environment: TestWorkflowEnvironment;
  let rig: RunRig;
  before(async () => {
    environment = await timeSkipping();
    rig = await RunRig.open(environment);
  });
  after(async () => {
    await rig.close();
    await environment.teardown();
  });

  async function priorities({ handle }: Attached): Promise<readonly (number | null)[]> {
    const { events } = await handle.fetchHistory();
    return (events ?? [])
      .map((event) => event.activityTaskScheduledEventAttributes)
      .filter((scheduled) => scheduled?.activityType?.name === 'tick')
      .map((scheduled) => scheduled?.priority?.priorityKey ?? null);
  }

  it('hears an event once, told again after minutes and after a day (B4)', async () => {
    const heard: number[] = [];
    const run = await rig.attach(
      rig.agent((tick) => {
        heard.push(tick.events.length);
        return reschedule({ in: '30d', state: {}, effects: tick.events.length === 0 ? [] : [say('here')] });
      }),
    );
    await rig.asleep(run, 1);
    const event = (await rig.storeEvents(run, 1))[0] as EventRef;
    const told: EventRef = { ...event, type: 'message.inbound' };
    const tell = async () => run.handle.signal(eventArrived, told);
    await tell();
    await environment.sleep(10 * SECOND);
    await rig.asleep(run, 2);
    for (const wait of [5 * MINUTE + SECOND, SECOND, 26 * HOUR]) {
      await environment.sleep(wait);
      await tell();
    }
    await environment.sleep(MINUTE);
    const { ticks, queued } = await rig.view(run);
    assert.deepEqual([ticks, queued, rig.sentTo(run)], [2, 0, ['here']]);
    assert.deepEqual(heard, [0, 1]);
    await rig.end(run);
  });

  it('outlives a provider that answers 500 for 40 seconds, and answers the message after it (D1)', async () => {
    let downUntil = 0;
    let refused = 0;
    const run = await rig.attach(
      rig.agent((tick) => {
        if (Date.parse(tick.now) < downUntil) {
          refused += 1;
          throw Object.assign(new Error('Internal Server Error'), { statusCode: 500 });
        }
        const said = tick.events.length === 0 ? [] : [say(`heard ${tick.events.length}`)];
        return reschedule({ in: '30d', state: {}, effects: said });
      }),
    );
    await rig.asleep(run, 1);
    const began = await rig.now();
    downUntil = began + 40 * SECOND;
    await rig.customerSays(run, 'hello?');
    await environment.sleep(60 * SECOND);
    await rig.customerSays(run, 'still there?');
    await environment.sleep(60 * SECOND);
    const view = await rig.until(run, ({ phase, queued }) => phase === 'asleep' && queued === 0);
    assert.deepEqual([view.status, view.failures], ['IN_PROGRESS', 0]);
    assert.ok(refused >= 3 && refused <= 8, `${refused} attempts`);
    const heard = rig.sentTo(run).map((text) => Number(text.replace('heard ', '')));
    assert.equal(
      heard.reduce((sum, count) => sum + count, 0),
      2,
    );
    await rig.end(run);
  });

  describe('when a message was taken and not brought, for a trouble that passes', () => {
    const told: (readonly string[])[] = [];
    const greeter = () =>
      rig.agent(({ tick, failedEffects }) => {
        told.push(failedEffects.map(({ reason }) => reason));
        return reschedule({ in: '30d', state: {}, effects: tick === 1 ? [say('hello')] : [] });
      });
    const passing = { code: '131000', message: 'something went wrong', failure: 'outage' };

    /** A status of the first message, as it comes from the provider. */
    async function reports(run: Attached, status: string, error?: object): Promise<void> {
      const nothing = () => undefined;
      const intake = createIntake({
        ...{ desk: rig.desk, client: environment.client, metrics: createMetrics(), autoAttach: () => [] },
        ...{ agents: createRegistry([]), log: { info: nothing, warn: nothing, error: nothing } },
      });
      const sent = rig.channel.accepted.find(({ to }) => to.conversation === run.conversation);
      const reference = sent?.reference ?? assert.fail('nothing was sent');
      const data = { providerId: `simulated.${reference}`, reference, status, ...(error && { error }) };
      const time = new Date(await rig.now()).toISOString();
      await intake.accept([fact(run.subject, { type: 'message.status', time, data }, 'simulated')]);
      await intake.idle();
    }

    /** Its first message reported as lost, and waiting to go out again. */
    async function undelivered(): Promise<Attached> {
      const run = await rig.attach(greeter());
      await rig.asleep(run, 1);
      await reports(run, 'failed', passing);
      await rig.until(run, ({ pendingEffects: [effect] }) => effect?.reason === 'undelivered');
      return run;
    }
    const statuses = async ({ tenant, conversation }: Attached) =>
      (await rig.desk.conversations.messages({ tenant, conversation, limit: 10 })).items.map(({ status }) => status);
    const reasons = async ({ id }: Attached) =>
      (await rig.desk.runs.timeline(id)).items.flatMap((item) => (item.entry === 'effect' ? (item.reason ?? []) : []));

    it('sends it again once, though that is reported twice, and tells the agent nothing', async () => {
      const run = await undelivered();
      await reports(run, 'failed', passing);
      await environment.sleep(2 * MINUTE);
      await rig.asleep(run, 1);
      await reports(run, 'failed', passing);
      await environment.sleep(2 * MINUTE);
      await run.handle.executeUpdate(wakeNow, { args: [{ actor: 'ana' }] });
      await rig.asleep(run, 2);
      assert.deepEqual(
        [rig.sentTo(run), await statuses(run), told.at(-1)],
        [['hello', 'hello'], ['failed', 'sent'], []],
      );
      await rig.end(run);
    });

    it('leaves it where it had arrived after all, and calls that no failure', async () => {
      const run = await undelivered();
      await reports(run, 'delivered');
      await environment.sleep(2 * MINUTE);
      await run.handle.executeUpdate(wakeNow, { args: [{ actor: 'ana' }] });
      await rig.asleep(run, 2);
      assert.deepEqual([rig.sentTo(run), await statuses(run), told.at(-1)], [['hello'], ['delivered'], []]);
      assert.deepEqual(await reasons(run), ['arrived']);
      await rig.end(run);
    });

    it('leaves it to a human who has come in meanwhile, though only the desk has heard of that', async () => {
      const run = await undelivered();
      const { tenant, subject, slot, id } = run;
      const at = new Date(await rig.now()).toISOString();
      const act = { tenant, subject, slot, attachment: id, act: 'takeover', actor: 'ana', comment: null, at } as const;
      await rig.desk.acts.record(act);
      await environment.sleep(2 * MINUTE);
      await rig.asleep(run, 1);
      assert.deepEqual([rig.sentTo(run), await reasons(run)], [['hello'], ['taken_over']]);
      await rig.end(run);
    });

    it('sends it by nobody once the run is over, and shows that it failed', async () => {
      const run = await rig.attach(greeter());
      await rig.asleep(run, 1);
      await rig.end(run);
      await reports(run, 'failed', passing);
      await environment.sleep(2 * MINUTE);
      assert.deepEqual([rig.sentTo(run), await statuses(run)], [['hello'], ['failed']]);
    });
  });

  it('shows that an outage has postponed it, and until when', async () => {
    const run = await rig.attach(
      rig.agent(() => {
        throw Object.assign(new Error('Internal Server Error'), { statusCode: 500 });
      }),
    );
    const stored = async () => rig.desk.runs.get(run);
    let shown = await stored();
    for (; shown?.nextRunWhy?.startsWith('postponed') !== true; shown = await stored()) await environment.sleep(MINUTE);
    assert.equal(shown.failures, 0);
    const [step] = nextRunSteps(runFromDesk(shown), await rig.desk.runs.latest(run.id));
    assert.deepEqual(
      [step?.rule, step?.until, step?.params],
      ['outage', shown.nextRunAt, { message: 'provider outage: Internal Server Error' }],
    );
    const { items } = await rig.desk.runs.timeline(run.id);
    assert.ok(items.some((item) => item.entry === 'tick' && JSON.stringify(item).includes('provider outage')));
    await rig.end(run);
  });

  it('lets those go first whom somebody waits for: a tick that is merely due asks for less (C8)', async () => {
    const run = await rig.attach(rig.agent(() => reschedule({ in: '1h', state: {} })));
    await rig.asleep(run, 1);
    await environment.sleep(HOUR + SECOND);
    await rig.asleep(run, 2);
    await rig.customerSays(run, 'hi');
    await environment.sleep(10 * SECOND);
    await rig.asleep(run, 3);
    assert.deepEqual(await priorities(run), [4, 4, null]);
    await rig.end(run);
  });

  it('is started once by two clicks, however long after the first the second comes (S11)', async () => {
    const agent = rig.agent(() => reschedule({ in: '60d', state: {}, effects: [say('hello')] }));
    const run = await rig.attach(agent);
    await rig.asleep(run, 1);
    await environment.sleep(40 * DAY);
    const { tenant, subject, slot } = run;
    const again = { tenant, subject, slot, agent: agent.key, config: {}, actor: 'ana' };
    const clicks = await Promise.all([1, 2].map(async () => createRunClient(environment.client).attach(again)));
    assert.deepEqual(
      clicks.map(({ attached, run: found }) => [attached, found.id]),
      [1, 2].map(() => [false, run.id]),
    );
    assert.deepEqual([(await rig.view(run)).ticks, rig.sentTo(run)], [1, ['hello']]);
    await rig.end(run);
  });
});
