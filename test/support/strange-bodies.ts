/** Webhook bodies as vendors send them, and what comes of them when something in them is exchanged or left out. */
import fc from 'fast-check';

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
/** As an account's webhook tells things. */
export const CHATWOOT = [
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
/** As the generic webhook takes them. */
export const GENERIC = [
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
/** A value in which each part may have been exchanged for something strange, or left out. */
export function mutated(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null)
    return fc.oneof({ weight: 20, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: leaf });
  const inner = Array.isArray(value)
    ? fc.tuple(...value.map(mutated))
    : fc.record(Object.fromEntries(Object.entries(value).map(([key, part]) => [key, mutated(part)])), {
        requiredKeys: Object.keys(value).slice(0, 1),
      });
  return fc.oneof({ weight: 20, arbitrary: inner }, { weight: 1, arbitrary: leaf });
}
/** One of the samples, changed, as the bytes of its JSON. */
export const bodies = (samples: readonly unknown[]) =>
  fc.oneof(...samples.map(mutated)).map((value) => Buffer.from(JSON.stringify(value)));
