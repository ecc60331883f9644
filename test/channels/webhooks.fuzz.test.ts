import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseChatwootWebhook } from '../../src/channels/chatwoot/parse-webhook.ts';
import { parseEvents } from '../../src/channels/generic/parse-events.ts';
import { InvalidInputError } from '../../src/domain/errors.ts';
import { eventSchemaOf } from '../../src/domain/schemas/events.ts';
import type { TenantId } from '../../src/domain/ids.ts';

const conversation = {
  id: 42,
  status: 'open',
  meta: { sender: { id: 7, name: 'Ana' }, assignee: { id: 3, name: 'Rui', type: 'user' } },
  created_at: 1790000000,
  updated_at: 1790000001.5,
};
const message = {
  id: 91,
  content: 'Oi',
  created_at: '2026-11-29T10:00:00.000Z',
  private: false,
  content_attributes: {},
  sender: { id: 7, name: 'Ana', type: 'contact' },
  conversation,
  account: { id: 1 },
  attachments: [{ id: 1, file_type: 'location', coordinates_lat: 1, coordinates_long: 2 }],
};
const CHATWOOT = [
  ...['incoming', 'outgoing', 'template', 'activity'].map((message_type) => ({
    event: 'message_created',
    ...message,
    message_type,
  })),
  { event: 'message_updated', ...message, message_type: 'outgoing', status: 'failed' },
  { event: 'conversation_created', ...conversation },
  {
    event: 'conversation_status_changed',
    ...conversation,
    changed_attributes: [{ status: { previous_value: 'pending', current_value: 'open' } }],
  },
  {
    event: 'conversation_updated',
    ...conversation,
    changed_attributes: [{ assignee_id: { previous_value: null, current_value: 3 } }],
  },
];
const GENERIC = [
  {
    id: 'e',
    type: 'message.inbound',
    time: '2026-11-29T10:00:00Z',
    subject: 'conversation/1',
    data: { content: { kind: 'text', text: 'Hi' } },
  },
];

const leaf = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>('', '\u0000', '\ud800', '__proto__', -1, 1e308, 9e15, [], {}, null, 'x'.repeat(70_000)),
);
/** A body in which each part may have been exchanged for something strange, or left out. */
function mutated(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null)
    return fc.oneof({ weight: 20, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: leaf });
  const inner = Array.isArray(value)
    ? fc.tuple(...value.map(mutated))
    : fc.record(Object.fromEntries(Object.entries(value).map(([key, part]) => [key, mutated(part)])), {
        requiredKeys: Object.keys(value).slice(0, 1),
      });
  return fc.oneof({ weight: 20, arbitrary: inner }, { weight: 1, arbitrary: leaf });
}
const bodies = (samples: readonly unknown[]) =>
  fc.oneof(...samples.map(mutated)).map((value) => Buffer.from(JSON.stringify(value)));

describe('the other webhooks, given valid bodies with something changed in them', () => {
  it('of Chatwoot never throw, and all they accept fits the schema of events', () => {
    fc.assert(
      fc.property(bodies(CHATWOOT), (body) => {
        const { items, unreadable, ignored } = parseChatwootWebhook({ tenant: 'acme' as TenantId, body, accountId: 1 });
        for (const { event } of items) assert.equal(eventSchemaOf(event).safeParse(event).error, undefined);
        assert.ok(items.length + unreadable.length + ignored.length > 0);
      }),
      { numRuns: 1_000 },
    );
  });

  it('by Standard Webhooks judge each event alone, or refuse the body as a whole', () => {
    fc.assert(
      fc.property(fc.oneof(bodies(GENERIC), bodies([GENERIC])), (body) => {
        try {
          for (const item of parseEvents(body)) assert.ok(item.ok || item.problems.length > 0);
        } catch (error) {
          assert.ok(error instanceof InvalidInputError);
        }
      }),
      { numRuns: 500 },
    );
  });
});
