import assert from 'node:assert/strict';
import { mediaReader } from '../../src/activities/read-media.ts';
import { startWhatsAppSimulator } from '../../src/channels/simulated/graph-server.ts';
import { messageUpdate, envelope, asMetaWrites } from '../../src/channels/simulated/webhook-bodies.ts';
import type { WhatsAppSimulator } from '../../src/channels/simulated/whatsapp-simulator.ts';
import { WhatsAppConfig } from '../../src/channels/whatsapp/config.ts';
import { parseWhatsAppWebhook } from '../../src/channels/whatsapp/parse-webhook.ts';
import { createWhatsAppChannel } from '../../src/channels/whatsapp/whatsapp-channel.ts';
import { ProviderOutageError } from '../../src/domain/errors.ts';
import { conversationOf, type ConversationId, type Subject, type TenantId } from '../../src/domain/ids.ts';
import { testApi, type TestApi } from '../support/api.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';

const DEMO = 'demo' as TenantId;
const PHOTO = Buffer.from('a photograph');

describe('the file of a message', () => {
  let opened: TestDesk;
  let graph: WhatsAppSimulator;
  let api: TestApi;
  let channel: ReturnType<typeof createWhatsAppChannel>;
  let conversation: ConversationId;
  let count = 0;

  before(async () => {
    opened = await openTestDesk();
    graph = await startWhatsAppSimulator({
      ...{ phoneNumberId: '100', appSecret: 's', accessToken: 'token', webhookUrl: 'http://127.0.0.1:9/' },
    });
    const of = { accessToken: 'token', appSecret: 's', verifyToken: 'v', apiUrl: graph.url };
    channel = createWhatsAppChannel(WhatsAppConfig.parse({ kind: 'whatsapp', phoneNumberId: '100', ...of }));
    api = testApi({ desk: opened.desk, channelsOf: (tenant) => (tenant === DEMO ? [channel] : []) });
  });
  after(async () => {
    await graph.close();
    await opened.close();
  });

  /** As Meta's webhook brings it, stored; answers what the transcript says of it. */
  async function sent(body: ReturnType<WhatsAppSimulator['files']['add']>, at = Date.now()) {
    const number = { phoneNumberId: '100', displayPhoneNumber: '1555' };
    const update = messageUpdate(number, { phone: '5531980000001' }, body, { id: `wamid.${(count += 1)}`, at });
    const post = { tenant: DEMO, body: Buffer.from(asMetaWrites(envelope([update]))), phoneNumberIds: ['100'] };
    for (const item of parseWhatsAppWebhook(post).items) {
      const stored = await opened.desk.intake.store(item);
      assert.ok(stored.result === 'accepted');
      conversation = conversationOf(stored.event.subject as Subject) as ConversationId;
    }
    const listed = await api.send('GET', `/conversations/${conversation}/messages`);
    const told = listed.body.items.find(({ providerId }) => providerId === `wamid.${count}`);
    return told as { id: string; media: Record<string, unknown> | null; providerId: string };
  }
  const file = (id: string, tenant = 'demo', init: RequestInit = {}) =>
    api.ask(`/v1/tenants/${tenant}/conversations/${conversation}/messages/${id}/media`, init);

  it('is named in the transcript and handed through as the provider keeps it, for saving and not for running', async () => {
    const message = await sent(
      graph.files.add({ bytes: PHOTO, mimeType: 'image/svg+xml', fileName: 'plan ü.svg', as: 'document' }),
    );
    assert.deepEqual(
      [message.media?.['kind'], message.media?.['mimeType'], message.media?.['fileName']],
      ['document', 'image/svg+xml', 'plan ü.svg'],
    );
    const response = await file(message.id);
    assert.equal(await response.text(), 'a photograph');
    const header = (name: string) => response.headers.get(name);
    assert.deepEqual(
      [response.status, header('content-type'), header('content-disposition'), header('content-length')],
      [200, 'image/svg+xml', "attachment; filename*=UTF-8''plan%20%C3%BC.svg", null],
    );
    assert.deepEqual(
      [header('x-content-type-options'), header('content-security-policy')],
      ['nosniff', "default-src 'none'; sandbox"],
    );
  });

  it('is of a message of this tenant’s conversation, or there is none', async () => {
    const text = await sent({ type: 'text', text: { body: 'no file' } });
    const photo = await sent(graph.files.add({ bytes: PHOTO, mimeType: 'image/png' }));
    for (const [asked, code] of [
      [file(text.id), 'media_not_found'],
      [file('1'), 'media_not_found'],
      [file(encodeURIComponent(graph.url)), 'media_not_found'],
      [file(photo.id, 'acme'), 'conversation_not_found'],
    ] as const) {
      const response = await asked;
      assert.deepEqual([response.status, ((await response.json()) as { code: string }).code], [404, code]);
    }
  });

  it('is gone when the provider keeps it no more, and later when the provider is away', async () => {
    const young = await sent(
      graph.files.add({ bytes: PHOTO, mimeType: 'image/png', notReadyFor: 9 }),
      Date.now() - 3_600_000,
    );
    assert.equal((await file(young.id)).status, 410);
    const away = createWhatsAppChannel(
      WhatsAppConfig.parse({
        ...{ kind: 'whatsapp', phoneNumberId: '100', accessToken: 't', appSecret: 's', verifyToken: 'v' },
        apiUrl: 'http://127.0.0.1:9',
      }),
    );
    const response = await testApi({ desk: opened.desk, channelsOf: () => [away] }).ask(
      `/v1/tenants/demo/conversations/${conversation}/messages/${young.id}/media`,
    );
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '5']);
  });

  it('is read by a tick through the message, the event or its transcript; without one, or too large, it is null', async () => {
    const message = await sent(graph.files.add({ bytes: PHOTO, mimeType: 'image/png', notReadyFor: 1 }));
    const reader = async (over: object = {}) =>
      mediaReader(opened, {
        ...{ tenant: DEMO, id: conversation, channel, signal: new AbortController().signal },
        conversation: await opened.desk.conversations.get(DEMO, conversation),
        ...over,
      });
    const read = await reader();
    const found = await read(message);
    assert.deepEqual(
      [found?.kind, found?.mimeType, Buffer.from(found?.bytes ?? []).toString()],
      ['image', 'image/png', 'a photograph'],
    );
    assert.notEqual(await read({ providerId: message.providerId }), null);
    assert.equal(await read({ providerId: undefined }), null);
    assert.equal(await read(message, { maxBytes: 3 }), null);
    const shut = { ...channel, openMedia: () => Promise.reject(new Error('connection reset')) };
    await assert.rejects(async () => (await reader({ channel: shut }))(message), ProviderOutageError);
  });

  it('goes with a message that its author takes back', async () => {
    const message = await sent(graph.files.add({ bytes: PHOTO, mimeType: 'image/png' }));
    await sent({ type: 'revoke', revoke: { original_message_id: message.providerId } });
    assert.equal((await file(message.id)).status, 404);
  });
});
