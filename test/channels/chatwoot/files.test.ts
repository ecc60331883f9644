import assert from 'node:assert/strict';
import { mediaReader } from '../../../src/activities/read-media.ts';
import type { Channel } from '../../../src/channels/channel.ts';
import { createChatwootChannel } from '../../../src/channels/chatwoot/chatwoot-channel.ts';
import { ChatwootConfig } from '../../../src/channels/chatwoot/config.ts';
import { startChatwootSimulator } from '../../../src/channels/simulated/chatwoot-server.ts';
import type { ChatwootSimulator, SimulatedAttachment } from '../../../src/channels/simulated/chatwoot-simulator.ts';
import { createWebhooks } from '../../../src/channels/webhooks.ts';
import type { ConversationId, TenantId } from '../../../src/domain/ids.ts';
import { testApi, type TestApi } from '../../support/api.ts';
import { openTestDesk, type TestDesk } from '../../support/desk.ts';
import { startReceiver, type Receiver } from '../../support/receiver.ts';

const DEMO = 'demo' as TenantId;
const OF = { kind: 'chatwoot', accountId: 1, apiToken: 'token', webhookSecret: 'secret' };
const file = (text: string, type = 'image'): SimulatedAttachment => ({
  ...{ bytes: Buffer.from(text), mimeType: type === 'image' ? 'image/png' : 'application/pdf', type },
});

describe('files of a Chatwoot message', () => {
  let opened: TestDesk;
  let receiver: Receiver;
  let simulator: ChatwootSimulator;
  let channel: Channel;
  let api: TestApi;

  before(async () => {
    opened = await openTestDesk();
    receiver = await startReceiver();
    simulator = await startChatwootSimulator({ ...OF, webhookUrl: receiver.url });
    channel = createChatwootChannel(ChatwootConfig.parse({ ...OF, url: simulator.url }));
    api = testApi({ desk: opened.desk, channelsOf: (tenant) => (tenant === DEMO ? [channel] : []) });
  });
  after(async () => {
    await simulator.close();
    await receiver.close();
    await opened.close();
  });

  /** What the webhooks brought, as the route stores it: type and result. */
  const arrived = async () => {
    const webhooks = createWebhooks({ demo: { channels: [ChatwootConfig.parse({ ...OF, url: simulator.url })] } });
    const results: string[] = [];
    for (const { body, headers } of receiver.received.splice(0)) {
      const parsed = webhooks.chatwoot.receive(DEMO, Buffer.from(body), new Headers(headers as Record<string, string>));
      assert.ok('items' in parsed);
      for (const item of parsed.items)
        results.push(`${item.event.type} ${(await opened.desk.intake.store(item)).result}`);
    }
    return results;
  };
  const newest = async (conversation: string) =>
    (
      await opened.desk.conversations.messages({
        ...{ tenant: DEMO, limit: 9 },
        conversation: conversation as ConversationId,
      })
    ).items.at(-1);
  const reader = async (id: ConversationId) =>
    mediaReader(opened, {
      ...{ tenant: DEMO, id, channel, signal: new AbortController().signal },
      conversation: await opened.desk.conversations.get(DEMO, id),
    });

  it('are all there: in the transcript, for download one by one, and for an agent to read', async () => {
    await simulator.customerSays(42, 'The plans', file('front'), file('back'), file('terms', 'file'));
    assert.deepEqual(await arrived(), ['conversation.opened accepted', 'message.inbound accepted']);
    const message = await newest('42');
    assert.equal(message?.text, 'The plans');
    assert.deepEqual(
      [message.media, ...(message.media?.more ?? [])].map((one) => one?.kind),
      ['image', 'image', 'document'],
    );
    const listed = await api.send('GET', '/conversations/42/messages');
    const [told] = listed.body.items as { id: string; media: { kind: string; more: { kind: string }[] } }[];
    assert.deepEqual(
      told?.media.more.map(({ kind }) => kind),
      ['image', 'document'],
    );
    const read = await reader('42' as ConversationId);
    const path = `/v1/tenants/demo/conversations/42/messages/${message.id}/media`;
    for (const [place, text] of ['front', 'back', 'terms'].entries()) {
      const response = await api.ask(`${path}?file=${place}`);
      assert.equal(await response.text(), text);
      assert.equal(Buffer.from((await read(message, { file: place }))?.bytes ?? []).toString(), text);
    }
    assert.equal(await (await api.ask(path)).text(), 'front');
    assert.equal((await api.ask(`${path}?file=3`)).status, 404);
    assert.equal((await api.ask(`${path}?file=first`)).status, 422);
    assert.equal(await read(message, { file: 3 }), null);
  });

  it('that come after their message was told empty are the first anybody hears of it, once', async () => {
    const { id } = await simulator.customerSays(43, '');
    assert.deepEqual(await arrived(), ['conversation.opened accepted']);
    await simulator.attach(id, file('a photo'));
    await simulator.attach(id, file('another'));
    assert.deepEqual(await arrived(), [
      ...['message.inbound accepted', 'message.edited accepted'],
      ...['message.inbound duplicate', 'message.edited accepted'],
    ]);
    assert.equal((await newest('43'))?.media?.more?.length, 1);
    assert.equal((await newest('43'))?.kind, 'media');
  });

  it('that come after the words of their message change the message and wake nobody again', async () => {
    const { id } = await simulator.customerSays(44, 'See here');
    await simulator.attach(id, file('a photo'));
    const told = await arrived();
    assert.deepEqual(told.slice(1), [
      'message.inbound accepted',
      'message.inbound duplicate',
      'message.edited accepted',
    ]);
    assert.equal((await newest('44'))?.media?.kind, 'image');
  });

  it('that never come leave an empty message, which is told once it has been empty for a minute', async () => {
    simulator.setClock(Date.now() - 61_000);
    await simulator.customerSays(45, '');
    simulator.setClock(undefined);
    assert.deepEqual(await arrived(), ['conversation.opened accepted', 'message.inbound accepted']);
    assert.equal((await newest('45'))?.kind, 'unsupported');
  });
});
