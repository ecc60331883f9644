import assert from 'node:assert/strict';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createPollActivities } from '../../src/activities/poll-channel.ts';
import type { Channel } from '../../src/channels/channel.ts';
import { createChatwootChannel } from '../../src/channels/chatwoot/chatwoot-channel.ts';
import { ChatwootConfig } from '../../src/channels/chatwoot/config.ts';
import { startChatwootSimulator } from '../../src/channels/simulated/chatwoot-server.ts';
import type { ChatwootSimulator } from '../../src/channels/simulated/chatwoot-simulator.ts';
import { createWebhooks } from '../../src/channels/webhooks.ts';
import { pollScheduleId, type ConversationId, type TenantId } from '../../src/domain/ids.ts';
import { setPollSchedules, type PolledChannel } from '../../src/intake/poll-schedules.ts';
import type { PollInput } from '../../src/workflows/channel-poll-types.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { ACME } from '../support/facts.ts';
import { SILENT } from '../support/given.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { devServer, testWorker } from '../support/temporal.ts';
import { until } from '../support/until.ts';

/** So rarely that it polls only when the tests ask for it: by the hour it would at each full one. */
const POLLED: PolledChannel = { tenant: ACME, channel: 'chatwoot:1', every: '30d' };

describe('a Chatwoot account whose webhooks were lost', () => {
  let environment: TestWorkflowEnvironment;
  let opened: TestDesk;
  let receiver: Receiver;
  let simulator: ChatwootSimulator;
  let channel: Channel;
  const found: number[] = [];
  let stop: () => Promise<void>;

  before(async () => {
    environment = await devServer();
    opened = await openTestDesk();
    const config = (url: string) =>
      ChatwootConfig.parse({ kind: 'chatwoot', url, accountId: 1, apiToken: 'token', webhookSecret: 'secret' });
    receiver = await startReceiver();
    simulator = await startChatwootSimulator({
      ...{ accountId: 1, apiToken: 'token', webhookSecret: 'secret', webhookUrl: receiver.url },
    });
    channel = createChatwootChannel(config(simulator.url));
    const activities = createPollActivities({
      desk: opened.desk,
      channels: { get: (tenant, key) => (tenant === ACME && key === channel.key ? channel : undefined) },
      log: SILENT,
      clock: Date.now,
    });
    const worker = await testWorker(environment, {
      activities: {
        pollChannel: async (input: PollInput) => {
          const polled = await activities.pollChannel(input);
          found.push(polled.found);
          return polled;
        },
      },
    });
    const running = worker.run();
    stop = async () => {
      worker.shutdown();
      await running;
    };
  });
  after(async () => {
    await stop();
    await simulator.close();
    await receiver.close();
    await opened.close();
    await environment.teardown();
  });

  /** What the webhooks that did arrive say, stored as the route would. */
  const webhooksArrive = async () => {
    const config = { kind: 'chatwoot', url: simulator.url, accountId: 1, apiToken: 'token', webhookSecret: 'secret' };
    const webhooks = createWebhooks({ acme: { channels: [ChatwootConfig.parse(config)] } });
    const results: string[] = [];
    for (const { body, headers } of receiver.received.splice(0)) {
      const parsed = webhooks.chatwoot.receive(ACME, Buffer.from(body), new Headers(headers as Record<string, string>));
      assert.ok('items' in parsed);
      for (const item of parsed.items) results.push((await opened.desk.intake.store(item)).result);
    }
    return results;
  };
  const transcript = async () =>
    (
      await opened.desk.conversations.messages({ tenant: ACME, conversation: '42' as ConversationId, limit: 50 })
    ).items.map(({ author, text }) => [author, text]);
  /** How much it found. */
  const poll = async () => {
    const before = found.length;
    // The schedule may not have heard yet that the one before is over, and would skip this one.
    await environment.client.schedule.getHandle(pollScheduleId(POLLED)).trigger('BUFFER_ONE');
    await until('a poll', () => found.length > before);
    return found.at(-1);
  };

  it('is asked by a schedule, and what it tells is stored under the webhooks’ own keys, so nothing counts twice', async () => {
    await simulator.customerSays(42, 'Hi');
    simulator.loseWebhooks(true);
    await simulator.customerSays(42, 'Are you there?');
    await simulator.humanReplies(42, 'I am', { fromPhone: true });
    simulator.loseWebhooks(false);
    await simulator.customerSays(42, 'Thanks');
    assert.deepEqual(await webhooksArrive(), ['accepted', 'accepted', 'accepted']);
    await setPollSchedules({ client: environment.client, polled: [POLLED], tenants: [ACME], log: SILENT });
    assert.equal(await poll(), 2);
    // Chatwoot's API tells whole seconds: within one, the order is anybody's.
    assert.deepEqual((await transcript()).sort(), [
      ['customer', 'Are you there?'],
      ['customer', 'Hi'],
      ['customer', 'Thanks'],
      ['human', 'I am'],
    ]);
    const conversation = await opened.desk.conversations.get(ACME, '42' as ConversationId);
    assert.equal(conversation?.owner, 'human');
    assert.equal(await poll(), 0);
    assert.equal((await transcript()).length, 4);
    const asked = await opened.desk.polls.askedUntil(POLLED);
    assert.ok(asked !== null && Date.now() - Date.parse(asked) < 60_000, 'the next one goes on from there');
  });

  it('tells that a conversation was resolved, and a webhook that comes late after all is a duplicate', async () => {
    simulator.loseWebhooks(true);
    await simulator.setStatus(42, 'resolved');
    simulator.loseWebhooks(false);
    await simulator.customerSays(43, 'Another one');
    await poll();
    const closedAt = async () => (await opened.desk.conversations.get(ACME, '42' as ConversationId))?.closedAt;
    assert.notEqual(await closedAt(), null);
    assert.deepEqual(await webhooksArrive(), ['duplicate', 'duplicate']);
  });

  it('is polled as often as the configuration says, and no more once it is gone', async () => {
    const schedules = async () => {
      const names: string[] = [];
      for await (const { scheduleId } of environment.client.schedule.list()) names.push(scheduleId);
      return names;
    };
    const every = async () =>
      (await environment.client.schedule.getHandle(pollScheduleId(POLLED)).describe()).spec.intervals?.[0]?.every;
    await environment.client.schedule.create({
      scheduleId: 'somebody-elses',
      spec: { intervals: [{ every: '1d' }] },
      action: { type: 'startWorkflow', workflowType: 'other', taskQueue: 'other' },
    });
    await setPollSchedules({
      client: environment.client,
      polled: [{ ...POLLED, every: '2h' }],
      tenants: [ACME],
      log: SILENT,
    });
    assert.equal(await every(), 7_200_000);
    await until('both in the list', async () => (await schedules()).length === 2);
    // Another deployment in the same namespace, which knows other tenants, leaves it alone.
    await setPollSchedules({ client: environment.client, polled: [], tenants: ['globex' as TenantId], log: SILENT });
    assert.equal(await every(), 7_200_000);
    await setPollSchedules({ client: environment.client, polled: [], tenants: [ACME], log: SILENT });
    await until('one to be gone', async () => (await schedules()).length === 1);
    assert.deepEqual(await schedules(), ['somebody-elses']);
  });
});
