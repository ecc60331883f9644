import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createWebhooks } from '../../src/channels/webhooks.ts';
import { testApi } from '../support/api.ts';

const number = {
  kind: 'whatsapp',
  phoneNumberId: '100',
  accessToken: 't',
  appSecret: 'secret',
  verifyToken: 'word',
  apiUrl: 'http://127.0.0.1:9',
  sendsPerSecond: 80,
};
const webhooks = createWebhooks({ acme: { channels: [number] } } as never);
const PATH = '/webhooks/whatsapp/acme';

/** As the Cloud API documents a text message. */
const text = (id: string) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '1',
      changes: [
        {
          field: 'messages',
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '15550000000', phone_number_id: '100' },
            contacts: [{ profile: { name: 'Ana' }, wa_id: '5511999990000' }],
            messages: [{ from: '5511999990000', id, timestamp: '1790000000', type: 'text', text: { body: 'Hi' } }],
          },
        },
      ],
    },
  ],
});

function signed(body: string, secret = 'secret'): RequestInit {
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature, host: 'hooks.example' },
  };
}

describe('the WhatsApp webhook', () => {
  it('answers the handshake with the challenge, and a wrong word with 403', async () => {
    const api = testApi({ webhooks });
    const query = (word: string) => `${PATH}?hub.mode=subscribe&hub.verify_token=${word}&hub.challenge=1158201444`;
    const right = await api.ask(query('word'));
    assert.deepEqual([right.status, await right.text()], [200, '1158201444']);
    const wrong = await api.ask(query('other'));
    assert.deepEqual([wrong.status, ((await wrong.json()) as { code: string }).code], [403, 'wrong_verify_token']);
    const bare = await api.ask(PATH);
    assert.equal(bare.status, 400);
    assert.match(await bare.text(), /hub\.mode, hub\.verify_token and hub\.challenge are needed/);
    assert.equal((await api.ask(query('word').replace('acme', 'demo'))).status, 404);
  });

  it('stores what is signed, from any host, and nothing that is not', async () => {
    const api = testApi({ webhooks });
    const body = JSON.stringify(text('wamid.1'));
    assert.equal((await api.ask(PATH, signed(body))).status, 200);
    assert.equal(api.accepted.length, 1);
    assert.equal((await api.ask(PATH, signed(body, 'another'))).status, 401);
    assert.equal((await api.ask(PATH, { method: 'POST', body })).status, 401);
    assert.equal((await api.ask('/webhooks/whatsapp/No', signed(body))).status, 422);
    assert.equal(api.accepted.length, 1);
  });

  it('says how much it has been told, how much of that before, and what it could not read', async () => {
    const api = testApi({ webhooks });
    const answered = async (body: string) => (await api.ask(PATH, signed(body))).json();
    const body = JSON.stringify(text('wamid.1'));
    assert.deepEqual(await answered(body), { received: 1, duplicates: 0, unreadable: 0 });
    assert.deepEqual(await answered(body), { received: 1, duplicates: 1, unreadable: 0 });
    assert.deepEqual(await answered('{'), { received: 0, duplicates: 0, unreadable: 1 });
  });

  it('keeps as a dead letter what is signed and cannot be read', async () => {
    const api = testApi({ webhooks });
    assert.equal((await api.ask(PATH, signed('{"object":'))).status, 200);
    assert.equal(api.desk.letters.length, 1);
  });

  it('refuses more than 3 MB, and says 503 while it cannot store', async () => {
    const api = testApi({ webhooks });
    assert.equal((await api.ask(PATH, signed('x'.repeat(3 * 1024 * 1024 + 1)))).status, 413);
    const outage = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
    const failing = testApi({
      webhooks,
      intake: { accept: async () => Promise.reject(outage), redeliver: async () => undefined },
    });
    assert.equal((await failing.ask(PATH, signed(JSON.stringify(text('wamid.2'))))).status, 503);
  });
});

describe('the Chatwoot webhook', () => {
  it('stores what is signed with its time, and nothing that is not', async () => {
    const account = {
      kind: 'chatwoot',
      url: 'http://127.0.0.1:9',
      accountId: 1,
      apiToken: 't',
      webhookSecret: 'secret',
    };
    const api = testApi({ webhooks: createWebhooks({ acme: { channels: [account] } } as never) });
    const conversation = { id: 42, status: 'pending' };
    const message = {
      id: 91,
      content: 'Oi',
      created_at: '2026-11-29T10:00:00Z',
      message_type: 'incoming',
      conversation,
    };
    const body = JSON.stringify({ event: 'message_created', ...message });
    const hex = createHmac('sha256', 'secret').update(`1790000000.${body}`).digest('hex');
    const post = (timestamp: string) =>
      api.ask('/webhooks/chatwoot/acme', {
        method: 'POST',
        body,
        headers: { 'x-chatwoot-signature': `sha256=${hex}`, 'x-chatwoot-timestamp': timestamp },
      });
    assert.equal((await post('1790000001')).status, 401);
    assert.equal((await post('1790000000')).status, 200);
    assert.deepEqual(
      api.accepted.map(({ event }) => [event.type, event.subject]),
      [['message.inbound', 'conversation/42']],
    );
  });
});
