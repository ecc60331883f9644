import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { ChatwootConfig } from '../../../src/channels/chatwoot/config.ts';
import { parseChatwootWebhook } from '../../../src/channels/chatwoot/parse-webhook.ts';
import { createWebhooks } from '../../../src/channels/webhooks.ts';
import type { TenantId } from '../../../src/domain/ids.ts';

const TENANT = 'acme' as TenantId;

describe('a webhook of Chatwoot', () => {
  const config = ChatwootConfig.parse({
    kind: 'chatwoot',
    url: 'http://chatwoot.invalid',
    accountId: 1,
    apiToken: 't',
    webhookSecret: 'secret',
  });
  const webhooks = createWebhooks({ acme: { channels: [config] } });
  const receive = (body: string, { signed = `1790000000.${body}`, timestamp = '1790000000' } = {}) => {
    const hex = createHmac('sha256', 'secret').update(signed).digest('hex');
    return webhooks.chatwoot.receive(
      TENANT,
      Buffer.from(body),
      new Headers({ 'x-chatwoot-signature': `sha256=${hex}`, 'x-chatwoot-timestamp': timestamp }),
    );
  };
  const message = {
    event: 'message_created',
    id: 91,
    content: 'Oi',
    created_at: '2026-11-29 13:05:57 UTC',
    message_type: 'incoming',
    sender: { id: 7, name: 'Ana' },
    conversation: { id: 42, status: 'pending' },
  };

  it('is refused unless time and body were signed together', () => {
    const body = JSON.stringify(message);
    assert.ok('items' in receive(body));
    assert.deepEqual(receive(body, { signed: body }), { refused: 'bad_signature' });
    assert.deepEqual(receive(body, { timestamp: '1790000001' }), { refused: 'bad_signature' });
    assert.deepEqual(webhooks.chatwoot.receive(TENANT, Buffer.from(body), new Headers()), { refused: 'bad_signature' });
    assert.deepEqual(webhooks.chatwoot.receive('other' as TenantId, Buffer.from(body), new Headers()), {
      refused: 'not_configured',
    });
  });

  it('has the same id each time it is delivered, so that a doubled one is one (B1)', () => {
    const ids = [1, 2].map(() => {
      const result = receive(JSON.stringify(message));
      return 'items' in result ? result.items[0]?.event.id : undefined;
    });
    assert.deepEqual(ids, ['message:91', 'message:91']);
  });

  it('of another account, in another shape or no JSON is a dead letter; what means nothing is left alone', () => {
    for (const body of [
      JSON.stringify({ ...message, account: { id: 2 } }),
      JSON.stringify({ ...message, id: 'x' }),
      JSON.stringify({ ...message, created_at: 'soon' }),
      '{',
      '[]',
      'null',
    ]) {
      const result = receive(body);
      assert.deepEqual('items' in result && [result.items.length, result.unreadable.length], [0, 1], body);
    }
    const ignored = receive(JSON.stringify({ event: 'conversation_typing_on' }));
    assert.deepEqual('items' in ignored && ignored.ignored, ['conversation_typing_on']);
  });

  it('to a bot that says how its conversation stands, or that it was taken off, gives people the conversation', () => {
    const conversation = { id: 42, created_at: '2026-11-29 13:05:57 UTC', updated_at: 1_790_000_000 };
    const taken = [{ assignee_agent_bot_id: { previous_value: 3, current_value: null } }];
    const given = [{ assignee_agent_bot_id: { previous_value: null, current_value: 3 } }];
    const told = (event: object) => {
      const result = receive(JSON.stringify({ ...conversation, ...event }));
      return 'items' in result ? result.items.map((item) => [item.event.type, item.event.data]) : result;
    };
    const toHuman = [['conversation.assigned', { to: 'human' }]];
    assert.deepEqual(told({ event: 'conversation_opened', status: 'open' }), toHuman);
    assert.deepEqual(told({ event: 'conversation_resolved', status: 'resolved' }), [['conversation.closed', {}]]);
    assert.deepEqual(told({ event: 'conversation_updated', status: 'open', changed_attributes: taken }), toHuman);
    assert.deepEqual(told({ event: 'conversation_updated', status: 'pending', changed_attributes: given }), []);
  });

  it('of a conversation that people have from the start says so before it is opened, or once it is opened anew', () => {
    const told = (event: object, account: object = {}) => {
      const at = { id: 42, status: 'pending', created_at: '2026-11-29 13:05:57 UTC', updated_at: 1_790_000_000 };
      const body = Buffer.from(JSON.stringify({ event: 'conversation_created', ...at, ...event }));
      const post = { tenant: TENANT, body, account: { ...config, ...account }, now: 0 };
      return parseChatwootWebhook(post).items.map(({ event: { type, data } }) => [type, data]);
    };
    const opened = ['conversation.opened', {}];
    const toRui = ['conversation.assigned', { to: 'human', by: 'Rui' }];
    const meta = { assignee: { id: 3, name: 'Rui', type: 'user' } };
    assert.deepEqual(told({ meta }), [toRui, opened]);
    assert.deepEqual(told({ meta: { ...meta, assignee_type: 'AgentBot' } }), [opened]);
    assert.deepEqual(told({ status: 'open' }), [opened]);
    assert.deepEqual(told({ status: 'open' }, { agentBot: true }), [
      ['conversation.assigned', { to: 'human' }],
      opened,
    ]);
    const changed_attributes = [{ status: { previous_value: 'resolved', current_value: 'open' } }];
    assert.deepEqual(told({ event: 'conversation_status_changed', status: 'open', meta, changed_attributes }), [
      opened,
      toRui,
    ]);
  });

  it('of a message that was deleted takes its words back, and is no message of its own', () => {
    const deleted = { ...message, content: 'This message was deleted', content_attributes: { deleted: true } };
    const result = receive(JSON.stringify({ ...deleted, event: 'message_updated' }));
    assert.deepEqual('items' in result && result.items.map(({ event: { id, type, data } }) => [id, type, data]), [
      ['message:91:deleted', 'message.deleted', { about: '91' }],
    ]);
    const created = receive(JSON.stringify(deleted));
    assert.deepEqual('items' in created && [created.items.length, created.unreadable.length], [0, 0]);
  });

  it('brings files by reference and reports what was not delivered', () => {
    const withFile = {
      ...message,
      attachments: [{ id: 5, file_type: 'image', data_url: 'https://chatwoot.invalid/f.jpg' }],
    };
    const result = receive(JSON.stringify(withFile));
    assert.deepEqual('items' in result && (result.items[0]?.event.data as { content: object }).content, {
      kind: 'media',
      media: 'image',
      mediaId: 'attachment:5',
      caption: 'Oi',
    });
    const failed = receive(
      JSON.stringify({
        ...message,
        event: 'message_updated',
        message_type: 'outgoing',
        status: 'failed',
        content_attributes: { external_error: '131026: undeliverable' },
      }),
    );
    assert.deepEqual('items' in failed && failed.items[0]?.event.data, {
      providerId: '91',
      status: 'failed',
      error: { code: 'chatwoot', message: '131026: undeliverable' },
    });
  });
});
