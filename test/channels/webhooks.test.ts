import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { ChannelConfig } from '../../src/channels/config.ts';
import { createChannels } from '../../src/channels/registry.ts';
import { createWebhooks } from '../../src/channels/webhooks.ts';
import type { ParsedWebhook } from '../../src/channels/inbound.ts';
import type { TenantId } from '../../src/domain/ids.ts';
import { change, post, signed, TENANT, textMessage } from './whatsapp/samples.ts';

const GENERIC_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const number = (phoneNumberId: string, appSecret: string) => ({
  kind: 'whatsapp',
  phoneNumberId,
  accessToken: 't',
  appSecret,
  verifyToken: `verify-${phoneNumberId}`,
});
const channels = (...configs: object[]) => ({ channels: configs.map((config) => ChannelConfig.parse(config)) });
const OTHER = 'other' as TenantId;

describe('a webhook of a tenant', () => {
  const webhooks = createWebhooks({
    acme: channels(number('1', 'one'), number('2', 'two'), { kind: 'generic', webhookSecret: GENERIC_SECRET }),
    other: channels({ kind: 'simulated' }),
  });
  const whatsApp = (body: Buffer, secret: string, tenant = TENANT) =>
    webhooks.whatsapp.receive(tenant, body, new Headers({ 'x-hub-signature-256': signed(body, secret) }));
  const generic = (body: string, { secret = GENERIC_SECRET, id = 'msg_1', at = new Date() } = {}) =>
    webhooks.generic.receive(
      TENANT,
      Buffer.from(body),
      new Headers({
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign(id, at, body),
      }),
    );
  const parsed = (result: object) => {
    assert.ok('items' in result, JSON.stringify(result));
    return result as ParsedWebhook;
  };

  it('is believed about the numbers of the secret that signed it, and no others', () => {
    const both = post(change(textMessage, 'messages', '1'), change(textMessage, 'messages', '2'));
    const { items, unreadable } = parsed(whatsApp(both, 'two'));
    assert.deepEqual(
      items.map((item) => item.channel),
      ['whatsapp:2'],
    );
    assert.equal(unreadable.length, 1);
  });

  it('is refused when the signature is wrong or the tenant has no such channel', () => {
    const body = post(change(textMessage, 'messages', '1'));
    assert.deepEqual(whatsApp(body, 'three'), { refused: 'bad_signature' });
    assert.deepEqual(webhooks.whatsapp.receive(TENANT, body, new Headers()), { refused: 'bad_signature' });
    assert.deepEqual(whatsApp(body, 'one', OTHER), { refused: 'not_configured' });
    assert.deepEqual(whatsApp(body, 'one', 'constructor' as TenantId), { refused: 'not_configured' });
  });

  it('shakes hands with any of its verify tokens', () => {
    const query = (token: string) => ({ 'hub.mode': 'subscribe', 'hub.challenge': '42', 'hub.verify_token': token });
    assert.deepEqual(webhooks.whatsapp.handshake(TENANT, query('verify-2')), { challenge: '42' });
    assert.deepEqual(webhooks.whatsapp.handshake(TENANT, query('verify-3')), { refused: 'wrong_token' });
    assert.deepEqual(webhooks.whatsapp.handshake(OTHER, query('verify-1')), { refused: 'not_configured' });
  });

  const event = {
    id: 'e1',
    type: 'record.changed',
    time: '2026-11-29T10:00:00Z',
    subject: 'business',
    data: { record: 'invoice', recordId: '7', change: { paid: true } },
  };

  it('by Standard Webhooks brings one event or several, and keeps the bad one apart with the name of its field', () => {
    assert.deepEqual(
      parsed(generic(JSON.stringify(event))).items.map((item) => [item.tenant, item.channel, item.event.id]),
      [['acme', null, 'e1']],
    );
    const { items, unreadable } = parsed(
      generic(JSON.stringify([event, { ...event, time: 'yesterday' }, { ...event, id: 'e3' }])),
    );
    assert.deepEqual(
      items.map((item) => item.event.id),
      ['e1', 'e3'],
    );
    assert.match(unreadable[0]?.problem ?? '', /^time: must be an ISO-8601 instant/);
  });

  it('by Standard Webhooks keeps apart what the API would refuse: another tenant, a time in another unit, a message to nobody', () => {
    const message = { ...event, type: 'message.inbound', data: { content: { kind: 'text', text: 'Hi' } } };
    const misfits = [{ ...event, tenant: 'other' }, { ...event, time: '1970-01-21T00:00:00Z' }, message];
    const { items, unreadable } = parsed(generic(JSON.stringify(misfits)));
    assert.deepEqual(items, []);
    for (const [at, field] of ['tenant', 'time', 'subject'].entries())
      assert.match(unreadable[at]?.problem ?? '', new RegExp(`^${field}: must `));
  });

  it('by Standard Webhooks is refused when changed, unsigned, too old or signed by another', () => {
    const body = JSON.stringify(event);
    assert.deepEqual(generic(body, { at: new Date(Date.now() - 6 * 60_000) }), { refused: 'bad_signature' });
    assert.deepEqual(generic(body, { secret: `whsec_${Buffer.alloc(32, 8).toString('base64')}` }), {
      refused: 'bad_signature',
    });
    assert.deepEqual(webhooks.generic.receive(TENANT, Buffer.from(body), new Headers()), { refused: 'bad_signature' });
    for (const signature of ['v1', 'v1,', ',', 'v2,abc', ''])
      assert.deepEqual(
        webhooks.generic.receive(
          TENANT,
          Buffer.from(body),
          new Headers({
            'webhook-id': 'a',
            'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
            'webhook-signature': signature,
          }),
        ),
        { refused: 'bad_signature' },
      );
  });

  it('by Standard Webhooks that is no JSON, empty or longer than 500 events is one dead letter', () => {
    for (const body of ['{', '[]', JSON.stringify(Array.from({ length: 501 }, () => event))]) {
      const { items, unreadable } = parsed(generic(body));
      assert.deepEqual([items.length, unreadable.length], [0, 1]);
      assert.doesNotMatch(unreadable[0]?.problem ?? ':', /^:/);
    }
  });
});

describe('the channels of a tenant', () => {
  const registry = createChannels({ acme: channels(number('1', 'one'), { kind: 'simulated' }), other: channels() });

  it('are found by their key, and only by their own tenant', () => {
    assert.equal(registry.get('acme', 'whatsapp:1')?.kind, 'whatsapp');
    assert.equal(registry.get('acme', 'simulated')?.kind, 'simulated');
    assert.equal(registry.get('other', 'whatsapp:1'), undefined);
    assert.deepEqual(
      [registry.list('acme').length, registry.list('other').length, registry.list('nobody').length],
      [2, 0, 0],
    );
  });

  it('may only tell: then nothing can be sent there, and it is a channel all the same', () => {
    const tells = createChannels({ acme: channels({ kind: 'generic', webhookSecret: GENERIC_SECRET }) });
    assert.deepEqual(tells.list('acme'), []);
    assert.deepEqual(tells.telling('acme'), [{ key: 'generic', kind: 'generic', sends: false }]);
    assert.deepEqual(registry.telling('acme'), []);
  });

  it('may not have the same key', () => {
    assert.throws(
      () => createChannels({ acme: channels(number('1', 'one'), number('1', 'two')) }),
      /tenants\.acme\.channels names whatsapp:1 twice/,
    );
  });

  it('places what a CRM tells in that CRM’s own channel, where it is one, and names its customers by the conversation', () => {
    const signingSecret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    const config = { kind: 'generic', webhookSecret: GENERIC_SECRET, url: 'https://crm.example.com/a', signingSecret };
    const tenants = { acme: channels(config) };
    assert.deepEqual(
      createChannels(tenants)
        .list('acme')
        .map(({ key }) => key),
      ['generic'],
    );
    const event = { id: 'e1', source: 'crm', time: '2026-11-30T12:00:00Z' };
    const told = { ...event, type: 'message.inbound', subject: 'conversation/42' };
    const body = JSON.stringify([
      { ...told, data: { content: { kind: 'text', text: 'hi' } } },
      { ...event, id: 'e2', type: 'custom.x', subject: 'business', data: {} },
    ]);
    const at = new Date();
    const headers = new Headers({
      'webhook-id': 'm',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(GENERIC_SECRET).sign('m', at, body),
    });
    const received = createWebhooks(tenants).generic.receive(TENANT, Buffer.from(body), headers);
    assert.ok('items' in received);
    const { items } = received;
    assert.deepEqual(
      items.map((item) => item.channel),
      ['generic', null],
    );
    const [first] = items;
    assert.ok(first?.event.type === 'message.inbound');
    assert.deepEqual('contact' in first.event.data && first.event.data.contact, { address: '42' });
  });
});
