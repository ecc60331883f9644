import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createChatwootChannel } from '../../../src/channels/chatwoot/chatwoot-channel.ts';
import { ChatwootConfig } from '../../../src/channels/chatwoot/config.ts';
import { startChatwootSimulator } from '../../../src/channels/simulated/chatwoot-server.ts';
import { createWebhooks } from '../../../src/channels/webhooks.ts';
import type { TenantId } from '../../../src/domain/ids.ts';

const TENANT = 'acme' as TenantId;

describe('a Chatwoot account whose agent bot posts too', () => {
  it('is believed by either secret, the webhook’s and the bot’s, and by no third', () => {
    const base = { kind: 'chatwoot', url: 'http://chatwoot.invalid', accountId: 1, apiToken: 'token' };
    const secrets = { webhookSecret: 'of-the-webhook', botWebhookSecret: 'of-the-bot' };
    const webhooks = createWebhooks({ acme: { channels: [ChatwootConfig.parse({ ...base, ...secrets })] } });
    const body = JSON.stringify({
      ...{ event: 'message_created', id: 9, content: 'Hi', message_type: 'incoming', account: { id: 1 } },
      ...{ created_at: '2026-11-29T10:00:00Z', sender: { id: 7 }, conversation: { id: 42, status: 'pending' } },
    });
    const told = ['of-the-webhook', 'of-the-bot', 'of-nobody', ''].map((secret) => {
      const signature = createHmac('sha256', secret).update(`1.${body}`).digest('hex');
      const headers = { 'x-chatwoot-timestamp': '1', 'x-chatwoot-signature': `sha256=${signature}` };
      const answer = webhooks.chatwoot.receive(TENANT, Buffer.from(body), new Headers(headers));
      return 'items' in answer ? answer.items.length : answer.refused;
    });
    assert.deepEqual(told, [1, 1, 'bad_signature', 'bad_signature']);
  });
});

describe('two Chatwoot accounts of one tenant', () => {
  it('keep their conversations apart, though both count from 1', async () => {
    const account = (accountId: number, more: object) =>
      ChatwootConfig.parse({
        ...{ kind: 'chatwoot', url: 'http://chatwoot.invalid', accountId, apiToken: 'token' },
        ...{ webhookSecret: `secret-${accountId}`, ...more },
      });
    const webhooks = createWebhooks({
      acme: { channels: [account(1, {}), account(2, { conversationPrefix: 'support' })] },
    });
    const subjects = [1, 2].map((accountId) => {
      const body = JSON.stringify({
        ...{ event: 'message_created', id: 9, content: 'Hi', message_type: 'incoming', account: { id: accountId } },
        ...{ created_at: '2026-11-29T10:00:00Z', sender: { id: 7 }, conversation: { id: 42, status: 'pending' } },
      });
      const signature = createHmac('sha256', `secret-${accountId}`).update(`1.${body}`).digest('hex');
      const headers = { 'x-chatwoot-timestamp': '1', 'x-chatwoot-signature': `sha256=${signature}` };
      const told = webhooks.chatwoot.receive(TENANT, Buffer.from(body), new Headers(headers));
      return 'items' in told ? told.items[0]?.event.subject : told.refused;
    });
    assert.deepEqual(subjects, ['conversation/42', 'conversation/support-42']);
    const simulator = await startChatwootSimulator({
      ...{ accountId: 2, apiToken: 'token', webhookSecret: 's', webhookUrl: 'http://127.0.0.1:9/' },
    });
    await simulator.customerSays(42, 'Hi');
    const support = createChatwootChannel(account(2, { url: simulator.url, conversationPrefix: 'support' }));
    await support.send({
      ...{
        to: { tenant: TENANT, conversation: 'support-42', address: 'contact:7' },
        reference: 'r',
        signal: new AbortController().signal,
      },
      content: { kind: 'text', text: 'Hello' },
    });
    assert.deepEqual(
      simulator.messages.map(({ content }) => content),
      ['Hi', 'Hello'],
    );
    await simulator.close();
  });
});
