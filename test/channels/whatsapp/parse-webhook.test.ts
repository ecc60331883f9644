import assert from 'node:assert/strict';
import { parseWhatsAppWebhook } from '../../../src/channels/whatsapp/parse-webhook.ts';
import { change, KINDS, message, NUMBER, post, TENANT, textMessage } from './samples.ts';

const parse = (body: Uint8Array) => parseWhatsAppWebhook({ tenant: TENANT, body, phoneNumberIds: [NUMBER] });
const one = (value: object, field?: string) => {
  const { items, unreadable } = parse(post(change(value, field)));
  assert.deepEqual(unreadable, []);
  assert.equal(items.length, 1);
  return items[0]?.event as { type: string; id: string; data: { [key: string]: unknown }; [key: string]: unknown };
};
const kind = (name: string) => one(message(KINDS[name] ?? {}));

describe('a WhatsApp text', () => {
  it('becomes message.inbound with the wamid as id, the number as source and the time in UTC', () => {
    const { items } = parse(post(change(textMessage)));
    const contact = { address: '12025550123', aliases: ['US.1349A'], name: 'Ana Lima', country: 'US' };
    assert.deepEqual(items, [
      {
        tenant: TENANT,
        channel: `whatsapp:${NUMBER}`,
        event: {
          id: 'wamid.A1',
          source: `whatsapp:${NUMBER}`,
          time: '2026-09-21T14:13:21.000Z',
          address: contact,
          type: 'message.inbound',
          data: { providerId: 'wamid.A1', contact, content: { kind: 'text', text: 'How much is it?' } },
        },
      },
    ]);
  });

  it('is answered to the user id when the phone is hidden, and found again by it', () => {
    const hidden = one({
      contacts: [{ profile: { name: 'Ana' }, user_id: 'BR.77' }],
      messages: [{ from_user_id: 'BR.77', id: 'wamid.B', timestamp: '1790000001', type: 'text', text: { body: 'Hi' } }],
    });
    assert.deepEqual(hidden['address'], { address: 'BR.77', name: 'Ana', country: 'BR' });
  });

  it('carries the other spelling of a Brazilian mobile as an alias (B15)', () => {
    const event = one({
      messages: [{ from: '553180000001', id: 'wamid.C', timestamp: '1790000001', type: 'text', text: { body: 'Oi' } }],
    });
    assert.deepEqual(event['address'], { address: '553180000001', aliases: ['5531980000001'], country: 'BR' });
  });

  it('keeps what was quoted, the product asked about, that it was forwarded, and the advertisement it came from', () => {
    assert.equal(kind('quoted').data['replyTo'], 'wamid.OURS');
    assert.equal(kind('forwarded').data['forwarded'], true);
    assert.deepEqual(kind('aboutProduct').data['product'], { catalogId: 'c9', productId: 'sku-7' });
    assert.deepEqual(kind('advertisement').data['referral'], {
      sourceType: 'ad',
      sourceId: '77',
      sourceUrl: 'https://fb.me/x',
      headline: 'Rooms',
      clickId: 'c1',
    });
  });

  it('is stored without NUL and without half a surrogate pair', () => {
    const event = one(message({ type: 'text', text: { body: 'a\u0000b\ud800c' } }));
    assert.deepEqual(event.data['content'], { kind: 'text', text: 'a\uFFFDb\uFFFDc' });
  });
});

describe('every other kind of WhatsApp message (B17)', () => {
  const contents: Record<string, unknown> = {
    image: {
      kind: 'media',
      media: 'image',
      mediaId: 'M1',
      mimeType: 'image/jpeg',
      sha256: 'abc',
      caption: 'my kitchen',
    },
    gif: { kind: 'media', media: 'video', mediaId: 'M2', mimeType: 'video/mp4' },
    audio: { kind: 'media', media: 'audio', mediaId: 'M3', mimeType: 'audio/mpeg' },
    voice: { kind: 'media', media: 'voice', mediaId: 'M4', mimeType: 'audio/ogg' },
    document: { kind: 'media', media: 'document', mediaId: 'M5', mimeType: 'application/pdf', fileName: 'plan.pdf' },
    sticker: { kind: 'media', media: 'sticker', mediaId: 'M6', mimeType: 'image/webp' },
    buttonReply: { kind: 'choice', of: 'button', id: 'yes', title: 'Yes' },
    listReply: { kind: 'choice', of: 'list', id: 'r2', title: 'Two rooms' },
    flowAnswer: { kind: 'form', name: 'flow', text: 'Sent', answers: { rooms: 2 } },
    templateButton: { kind: 'choice', of: 'template', id: 'STOP', title: 'Stop' },
    location: { kind: 'location', latitude: -19.92, longitude: -43.94, name: 'Praça', address: 'Rua 1' },
    contacts: { kind: 'contacts', contacts: [{ name: 'Rui', phones: ['+1 202 555 0199'], emails: ['r@example.com'] }] },
    order: {
      kind: 'order',
      catalogId: 'C1',
      text: 'please',
      items: [{ productId: 'P1', quantity: 2, price: 9.5, currency: 'BRL' }],
    },
    callPermission: { kind: 'unsupported', of: 'interactive.call_permission_reply' },
    unsupported: { kind: 'unsupported', of: 'unsupported.poll' },
    welcome: { kind: 'unsupported', of: 'request_welcome' },
    neverHeardOf: { kind: 'unsupported', of: 'hologram' },
  };
  for (const [name, content] of Object.entries(contents))
    it(`is an inbound message with typed content: ${name}`, () => {
      const event = kind(name);
      assert.equal(event.type, 'message.inbound');
      assert.deepEqual(event.data['content'], content);
    });

  it('is unsupported, not an error, when a known kind comes in a shape we do not know', () => {
    for (const body of [
      { type: 'image' },
      { type: 'image', image: 7 },
      { type: 'text', text: {} },
      { type: 'location', location: { latitude: 900, longitude: 0 } },
      { type: '__proto__' },
    ])
      assert.deepEqual(one(message(body)).data['content'], { kind: 'unsupported', of: body.type });
  });

  it('calls for no reply when it is a reaction, an edit or a delete: those are types of their own', () => {
    const { data: reaction, type } = kind('reaction');
    assert.equal(type, 'message.reaction');
    assert.deepEqual([reaction['about'], reaction['emoji']], ['wamid.OURS', '👍']);
    assert.equal(kind('reactionRemoved').data['emoji'], null);
    assert.equal(kind('edit').type, 'message.edited');
    assert.deepEqual(kind('edit').data['content'], { kind: 'text', text: 'three rooms' });
    assert.equal(kind('revoke').type, 'message.deleted');
    assert.equal(kind('revoke').data['about'], 'wamid.A0');
  });

  it('renames the person, and is nothing they said, when their number or user id changed', () => {
    const changed = kind('numberChanged');
    assert.equal(changed.type, 'contact.updated');
    assert.deepEqual(changed['address'], {
      address: '12025550123',
      aliases: ['US.1349A'],
      name: 'Ana Lima',
      country: 'US',
    });
    assert.deepEqual(changed.data, { address: '12025550199', aliases: ['US.2'], country: 'US' });
    assert.deepEqual(kind('userIdChanged').data, { address: 'US.3', country: 'US' });
    assert.equal(kind('identityChanged').type, 'custom.contact.notice');
  });
});

describe('a WhatsApp preference', () => {
  it('is the contact’s choice about marketing, and kept as it is where it is another', () => {
    const prefers = (category: string, value: string) =>
      one(
        { user_preferences: [{ wa_id: '12025550123', category, value, timestamp: '1790000009' }] },
        'user_preferences',
      );
    const stop = prefers('marketing_messages', 'stop');
    assert.deepEqual([stop.type, stop.data], ['contact.updated', { marketing: 'stopped' }]);
    assert.deepEqual(stop['address'], { address: '12025550123', country: 'US' });
    for (const [category, value] of [
      ['marketing_messages', 'pause'],
      ['calls', 'stop'],
    ] as const) {
      const other = prefers(category, value);
      assert.deepEqual([other.type, other.data], ['custom.contact.preference', { category, value }]);
    }
  });
});

describe('a WhatsApp status', () => {
  const status = (fields: object) => ({ statuses: [{ id: 'wamid.OURS', timestamp: '1790000009', ...fields }] });

  it('is identified by message and status, and brings our reference and the reader back', () => {
    const event = one(
      status({
        status: 'delivered',
        recipient_id: '12025550123',
        recipient_user_id: 'US.1',
        biz_opaque_callback_data: 'ref-1',
      }),
    );
    assert.equal(event.id, 'wamid.OURS:delivered');
    assert.deepEqual(event.data, {
      providerId: 'wamid.OURS',
      status: 'delivered',
      reference: 'ref-1',
      contact: { address: '12025550123', aliases: ['US.1'], country: 'US' },
    });
  });

  it('tells the code of a failure, even where nobody is named', () => {
    const event = one(
      status({
        status: 'failed',
        errors: [{ code: 131047, title: 'Re-engagement message', error_data: { details: 'More than 24 hours' } }],
      }),
    );
    assert.deepEqual(event.data['error'], {
      ...{ code: '131047', failure: 'window_closed' },
      message: 'Re-engagement message: More than 24 hours',
    });
    assert.equal(event['address'], undefined);
  });

  it('of a step that we know nothing of is named and left alone; one that is no status is a dead letter', () => {
    const told = (fields: object) => parse(post(change(status(fields))));
    const { items, unreadable, ignored } = told({ status: 'deleted' });
    assert.deepEqual({ items, unreadable, ignored }, { items: [], unreadable: [], ignored: ['status deleted'] });
    assert.match(told({ status: 7 }).unreadable[0]?.problem ?? '', /^status: /);
  });

  it('leaves no doubt that a message failed, whatever the code would leave of a send', () => {
    const failures = [131000, 130429, 131050].map((code) => {
      const { error } = one(status({ status: 'failed', errors: [{ code }] })).data;
      return (error as { failure: string }).failure;
    });
    assert.deepEqual(failures, ['outage', 'rate_limited', 'marketing_stopped']);
  });
});

describe('an echo', () => {
  const echo = {
    message_echoes: [
      {
        from: '15550001234',
        to: '12025550123',
        id: 'wamid.H',
        timestamp: '1790000009',
        type: 'text',
        text: { body: 'I take over' },
      },
    ],
  };

  it('of the phone app is the outbound message of a human', () => {
    for (const field of ['smb_message_echoes', 'message_echoes']) {
      const event = one(echo, field);
      assert.equal(event.type, 'message.outbound');
      assert.equal(event.data['author'], 'human');
      assert.deepEqual(event['address'], { address: '12025550123', country: 'US' });
    }
  });

  it('keeps our reference where it has one, so that our own is known (B7)', () => {
    const ours = { message_echoes: [{ ...echo.message_echoes[0], biz_opaque_callback_data: 'ref-1' }] };
    assert.equal(one(ours, 'message_echoes').data['reference'], 'ref-1');
  });

  it('of an edit made in the phone app is a human at it, too', () => {
    const edited = {
      message_echoes: [{ ...echo.message_echoes[0], type: 'edit', edit: { original_message_id: 'x' } }],
    };
    assert.deepEqual(one(edited, 'smb_message_echoes').data['content'], { kind: 'unsupported', of: 'edit' });
  });
});

describe('a number that several responders share', () => {
  const assigned = (event: unknown) => event as { type: string; data: { to: string } };

  it('gives a conversation to a human before its standby copies are stored', () => {
    const { items, unreadable } = parse(post(change(textMessage, 'standby')));
    assert.deepEqual(unreadable, []);
    assert.deepEqual(
      items.map((item) => item.event.type),
      ['conversation.assigned', 'message.inbound'],
    );
    assert.equal(assigned(items[0]?.event).data.to, 'human');
    assert.notEqual(items[0]?.event.id, items[1]?.event.id);
  });

  it('takes the conversation from us with control_taken and gives it back with control_passed', () => {
    const handover = (what: string) => ({
      recipient: { phone_number_id: NUMBER },
      sender: { phone_number: '12025550123' },
      timestamp: '1790000009',
      [what]: { metadata: 'm' },
    });
    assert.equal(assigned(one(handover('control_taken'), 'messaging_handovers')).data.to, 'human');
    assert.equal(assigned(one(handover('control_passed'), 'messaging_handovers')).data.to, 'agent');
    assert.equal(
      one(handover('control_taken'), 'messaging_handovers').id,
      one(handover('control_taken'), 'messaging_handovers').id,
    );
  });
});

describe('a WhatsApp webhook', () => {
  it('of a thousand updates gives a thousand facts, in order', () => {
    const texts = Array.from({ length: 1_000 }, (_, n) =>
      change(message({ id: `wamid.${n}`, type: 'text', text: { body: `m${n}` } })),
    );
    const { items } = parse(post(...texts));
    assert.deepEqual(
      items.map((item) => item.event.id),
      Array.from({ length: 1_000 }, (_, n) => `wamid.${n}`),
    );
  });

  it('loses only the update that cannot be read, and says which field was wrong', () => {
    const { items, unreadable } = parse(
      post(
        change({ messages: [{ id: 'wamid.X', type: 'text' }, ...(textMessage as { messages: object[] }).messages] }),
      ),
    );
    assert.equal(items.length, 1);
    assert.equal(unreadable.length, 1);
    assert.match(unreadable[0]?.problem ?? '', /timestamp/);
    assert.match(unreadable[0]?.body ?? '', /wamid\.X/);
  });

  it('is not believed about a number whose secret did not sign it', () => {
    const { items, unreadable } = parse(post(change(textMessage), change(textMessage, 'messages', '666')));
    assert.equal(items.length, 1);
    assert.match(unreadable[0]?.problem ?? '', /phone_number_id 666 is not a WhatsApp channel of tenant acme/);
  });

  it('keeps apart what is readable but would not fit the desk', () => {
    const { items, unreadable } = parse(
      post(change(message({ type: 'reaction', reaction: { message_id: 'x'.repeat(513) } }))),
    );
    assert.deepEqual(items, []);
    assert.match(unreadable[0]?.problem ?? '', /data\.about/);
  });

  it('does not take a group for a person', () => {
    const { items, unreadable } = parse(
      post(change(message({ type: 'text', text: { body: 'Hi all' }, group_id: 'G1' }))),
    );
    assert.deepEqual(items, []);
    assert.match(unreadable[0]?.problem ?? '', /group/);
  });

  it('shows the errors Meta reports to an operator', () => {
    const { unreadable } = parse(post(change({ errors: [{ code: 131005, title: 'Access denied' }] })));
    assert.match(unreadable[0]?.problem ?? '', /131005.*Access denied/);
  });

  it('about something else is named and left alone', () => {
    const { items, unreadable, ignored } = parse(post(change({ event: 'APPROVED' }, 'message_template_status_update')));
    assert.deepEqual(
      { items, unreadable, ignored },
      { items: [], unreadable: [], ignored: ['message_template_status_update'] },
    );
  });

  it('that is no JSON, no object, of another product or nested without end is one dead letter', () => {
    for (const body of [
      '',
      '{',
      'null',
      '[]',
      '{"object":"page","entry":[]}',
      '['.repeat(100_000) + ']'.repeat(100_000),
    ]) {
      const { items, unreadable } = parse(Buffer.from(body));
      assert.deepEqual([items.length, unreadable.length], [0, 1], body.slice(0, 20));
    }
  });
});
