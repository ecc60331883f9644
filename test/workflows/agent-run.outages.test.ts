import assert from 'node:assert/strict';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { say } from '../../src/agents/effects.ts';
import { reschedule } from '../../src/agents/outcomes.ts';
import { createRunClient } from '../../src/client/run-client.ts';
import type { EventRef } from '../../src/domain/event-refs.ts';
import { nextRunSteps } from '../../src/domain/next-wake.ts';
import { runFromDesk } from '../../src/http/run-views.ts';
import { eventArrived } from '../../src/workflows/messages.ts';
import { RunRig, type Attached } from '../support/run-rig.ts';
import { timeSkipping } from '../support/temporal.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('an attached agent, while others are down or repeat themselves', () => {
  let environment: TestWorkflowEnvironment;
  let rig: RunRig;
  before(async function () {
    this.timeout(120_000);
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
