/** Webhook bodies in the form Meta documents, with invented people. Written apart from the simulator's on purpose. */
import { createHmac } from 'node:crypto';
import type { TenantId } from '../../../src/domain/ids.ts';

export const TENANT = 'acme' as TenantId;
export const NUMBER = '100200300';
export const SECRET = 'app-secret';

export function signed(body: string | Uint8Array, secret = SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

export function change(value: object, field = 'messages', phoneNumberId = NUMBER): object {
  return {
    field,
    value: {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: '15550001234', phone_number_id: phoneNumberId },
      ...value,
    },
  };
}

export function post(...changes: object[]): Buffer {
  return Buffer.from(JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '900', changes }] }));
}

export function message(body: object): object {
  return {
    contacts: [{ profile: { name: 'Ana Lima' }, wa_id: '12025550123', user_id: 'US.1349A' }],
    messages: [{ from: '12025550123', from_user_id: 'US.1349A', id: 'wamid.A1', timestamp: '1790000001', ...body }],
  };
}

export const textMessage = message({ type: 'text', text: { body: 'How much is it?' } });

/** Every kind of inbound message that Meta documents, each as the fields beside `from`, `id` and `timestamp`. */
export const KINDS: Readonly<Record<string, object>> = {
  text: { type: 'text', text: { body: 'Hello' } },
  quoted: { type: 'text', text: { body: 'This one' }, context: { from: '15550001234', id: 'wamid.OURS' } },
  aboutProduct: {
    type: 'text',
    text: { body: 'Is this there?' },
    context: { id: 'wamid.OURS', referred_product: { catalog_id: 'c9', product_retailer_id: 'sku-7' } },
  },
  forwarded: { type: 'text', text: { body: 'Look' }, context: { forwarded: true } },
  advertisement: {
    type: 'text',
    text: { body: 'I saw your ad' },
    referral: { source_type: 'ad', source_id: '77', source_url: 'https://fb.me/x', headline: 'Rooms', ctwa_clid: 'c1' },
  },
  image: { type: 'image', image: { id: 'M1', mime_type: 'image/jpeg', sha256: 'abc', caption: 'my kitchen' } },
  gif: { type: 'video', video: { id: 'M2', mime_type: 'video/mp4' } },
  audio: { type: 'audio', audio: { id: 'M3', mime_type: 'audio/mpeg' } },
  voice: { type: 'audio', audio: { id: 'M4', mime_type: 'audio/ogg', voice: true } },
  document: { type: 'document', document: { id: 'M5', filename: 'plan.pdf', mime_type: 'application/pdf' } },
  sticker: { type: 'sticker', sticker: { id: 'M6', mime_type: 'image/webp', animated: true } },
  buttonReply: {
    type: 'interactive',
    interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
  },
  listReply: {
    type: 'interactive',
    interactive: { type: 'list_reply', list_reply: { id: 'r2', title: 'Two rooms', description: 'd' } },
  },
  flowAnswer: {
    type: 'interactive',
    interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"rooms":2}' } },
  },
  callPermission: {
    type: 'interactive',
    interactive: { type: 'call_permission_reply', call_permission_reply: { response: 'accept' } },
  },
  templateButton: { type: 'button', button: { payload: 'STOP', text: 'Stop' }, context: { id: 'wamid.OURS' } },
  location: { type: 'location', location: { latitude: -19.92, longitude: -43.94, name: 'Praça', address: 'Rua 1' } },
  contacts: {
    type: 'contacts',
    contacts: [
      { name: { formatted_name: 'Rui' }, phones: [{ phone: '+1 202 555 0199' }], emails: [{ email: 'r@example.com' }] },
    ],
  },
  order: {
    type: 'order',
    order: {
      catalog_id: 'C1',
      text: 'please',
      product_items: [{ product_retailer_id: 'P1', quantity: 2, item_price: 9.5, currency: 'BRL' }],
    },
  },
  reaction: { type: 'reaction', reaction: { message_id: 'wamid.OURS', emoji: '👍' } },
  reactionRemoved: { type: 'reaction', reaction: { message_id: 'wamid.OURS' } },
  edit: {
    type: 'edit',
    edit: { original_message_id: 'wamid.A0', message: { type: 'text', text: { body: 'three rooms' } } },
  },
  revoke: { type: 'revoke', revoke: { original_message_id: 'wamid.A0' } },
  numberChanged: {
    type: 'system',
    system: { type: 'user_changed_number', body: 'changed', wa_id: '12025550199', user_id: 'US.2' },
  },
  userIdChanged: { type: 'system', system: { type: 'user_changed_user_id', body: 'changed', user_id: 'US.3' } },
  identityChanged: {
    type: 'system',
    system: { type: 'customer_identity_changed', body: 'new phone', wa_id: '12025550123' },
  },
  unsupported: {
    type: 'unsupported',
    unsupported: { type: 'poll' },
    errors: [{ code: 131051, title: 'Message type unknown' }],
  },
  welcome: { type: 'request_welcome' },
  neverHeardOf: { type: 'hologram', hologram: { depth: 3 } },
};
