import assert from 'node:assert/strict';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createPollActivities } from '../../src/activities/poll-channel.ts';
import { createChatwootChannel } from '../../src/channels/chatwoot/chatwoot-channel.ts';
import { ChatwootConfig } from '../../src/channels/chatwoot/config.ts';
import { startChatwootSimulator } from '../../src/channels/simulated/chatwoot-server.ts';
import type { ChatwootSimulator } from '../../src/channels/simulated/chatwoot-simulator.ts';
import { createWebhooks } from '../../src/channels/webhooks.ts';
import type { ConversationId, Subject } from '../../src/domain/ids.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { ACME } from '../support/facts.ts';
import { SILENT } from '../support/given.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';

const OF = { kind: 'chatwoot', accountId: 1, apiToken: 'token', webhookSecret: 'secret' };

describe('a poll of a Chatwoot account', () => {
  let opened: TestDesk;
  let receiver: Receiver;
  let simulator: ChatwootSimulator;

  before(async () => {
    opened = await openTestDesk();
    receiver = await startReceiver();
    simulator = await startChatwootSimulator({ ...OF, webhookUrl: receiver.url });
  });
  after(async () => {
    await simulator.close();
    await receiver.close();
    await opened.close();
  });

  const configured = () => ChatwootConfig.parse({ ...OF, url: simulator.url });
  /** How much it found. */
  const poll = async () => {
    const channel = createChatwootChannel(configured());
    const channels = { get: () => channel };
    const activities = createPollActivities({ desk: opened.desk, channels, log: SILENT, clock: Date.now });
    const polled = await new MockActivityEnvironment().run(() =>
      activities.pollChannel({ tenant: ACME, channel: channel.key }),
    );
    return (polled as { found: number }).found;
  };
  /** What the webhooks that did arrive say, stored as the route would. */
  const webhooksArrive = async () => {
    const webhooks = createWebhooks({ acme: { channels: [configured()] } });
    const results: string[] = [];
    for (const { body, headers } of receiver.received.splice(0)) {
      const parsed = webhooks.chatwoot.receive(ACME, Buffer.from(body), new Headers(headers as Record<string, string>));
      assert.ok('items' in parsed);
      for (const item of parsed.items) results.push((await opened.desk.intake.store(item)).result);
    }
    return results;
  };
  const lost = async (work: () => Promise<unknown>) => {
    simulator.loseWebhooks(true);
    await work();
    simulator.loseWebhooks(false);
  };
  const owner = async (id: string) => (await opened.desk.conversations.get(ACME, id as ConversationId))?.owner;
  const assignments = async (id: string) =>
    (await opened.desk.events.list({ tenant: ACME, subject: `conversation/${id}` as Subject, limit: 50 })).items
      .filter(({ type }) => type === 'conversation.assigned')
      .map(({ data }) => data);

  it('tells that a person was put in charge or a conversation opened, once, whichever tells it first', async () => {
    await simulator.customerSays(50, 'Hi');
    await simulator.customerSays(51, 'Hi');
    await webhooksArrive();
    await poll();
    await lost(() => simulator.assign(50, 'Rui'));
    await simulator.setStatus(51, 'open');
    assert.equal(await poll(), 2);
    assert.deepEqual([await owner('50'), await owner('51')], ['human', 'human']);
    assert.deepEqual(await webhooksArrive(), ['duplicate'], 'the webhook that came after the poll');
    assert.deepEqual(await assignments('50'), [{ to: 'human', by: 'Rui' }]);
    assert.equal((await assignments('51')).length, 1);

    await simulator.customerSays(52, 'Hi');
    await webhooksArrive();
    await poll();
    await simulator.assign(52, 'Rui');
    await webhooksArrive();
    // Chatwoot's note of when it changed has moved on since.
    await simulator.customerSays(52, 'Thanks');
    assert.equal(await poll(), 1);
    assert.equal((await assignments('52')).length, 1);
  });

  it('leaves a conversation with the agent it was given back to, though its person is still named there', async () => {
    const at = new Date().toISOString();
    await opened.desk.conversations.setOwner({ tenant: ACME, id: '50' as ConversationId, owner: 'agent', by: 'a', at });
    await lost(() => simulator.customerSays(50, 'And now?'));
    assert.equal(await poll(), 1);
    assert.equal(await owner('50'), 'agent');
  });

  it('gives one that was moved back to pending to the agent again, unless its person wrote in it since', async () => {
    await lost(() => simulator.setStatus(51, 'pending'));
    await poll();
    assert.deepEqual((await assignments('51'))[0], { to: 'agent' });
    assert.equal(await owner('51'), 'none');
    await simulator.setStatus(51, 'open');
    await webhooksArrive();
    await poll();
    await lost(async () => {
      await simulator.setStatus(51, 'pending');
      await simulator.humanReplies(51, 'I am still here');
    });
    await poll();
    assert.equal(await owner('51'), 'human');
  });

  it('takes a campaign’s message, a greeting or a survey for no human’s', async () => {
    await simulator.customerSays(53, 'Hi');
    await simulator.customerSays(54, 'Hi');
    await lost(async () => {
      await simulator.campaignSays(53, 'Ten per cent off');
      await simulator.robotSays(54, 'We are closed');
    });
    await webhooksArrive();
    assert.equal(await poll(), 2);
    for (const id of ['53', '54']) {
      assert.equal(await owner(id), 'none', id);
      const { items } = await opened.desk.conversations.messages({
        ...{ tenant: ACME, limit: 9 },
        conversation: id as ConversationId,
      });
      // Of one second, their order is anybody's.
      assert.deepEqual(items.map(({ author }) => author).sort(), ['automation', 'customer'], id);
    }
  });
});
