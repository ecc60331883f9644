import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { UnreadableItem } from '../../../src/channels/inbound.ts';
import { parseWhatsAppWebhook } from '../../../src/channels/whatsapp/parse-webhook.ts';
import { eventSchemaOf } from '../../../src/domain/schemas/events.ts';
import { change, KINDS, message, NUMBER, post, TENANT } from './samples.ts';

const ECHO = {
  message_echoes: [
    { from: '1', to: '12025550123', id: 'e', timestamp: '1790000009', type: 'text', text: { body: 'x' } },
  ],
};
const STATUS = { statuses: [{ id: 's', status: 'sent', timestamp: '1790000009', recipient_id: '12025550123' }] };
const BODIES = [
  ...Object.values(KINDS).flatMap((body) => [post(change(message(body))), post(change(message(body), 'standby'))]),
  post(change(ECHO, 'smb_message_echoes')),
  post(change(STATUS)),
  post(change({ sender: { phone_number: '12025550123' }, timestamp: '1', control_taken: {} }, 'messaging_handovers')),
].map((body) => JSON.parse(body.toString()) as unknown);

/** Any path into a value: each number picks one of what is there. */
const path = fc.array(fc.nat(), { minLength: 1, maxLength: 12 });
const strange = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    '',
    ' ',
    '\u0000',
    '\ud800',
    '__proto__',
    'constructor',
    -1,
    1e308,
    '1e99',
    '9'.repeat(400),
    [],
    {},
    null,
    true,
    [[]],
    'x'.repeat(70_000),
  ),
);

describe('the WhatsApp parser, given valid bodies with something changed in them', () => {
  it('never throws, and all it accepts fits the schema of events', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...BODIES),
        fc.array(fc.tuple(path, strange, fc.constantFrom('replace', 'remove', 'add')), { minLength: 1, maxLength: 4 }),
        (body, changes) => {
          const mutated = structuredClone(body);
          for (const [steps, value, how] of changes) mutate(mutated, steps, structuredClone(value), how);
          for (const letter of check(Buffer.from(JSON.stringify(mutated))))
            assert.deepEqual(check(Buffer.from(letter.body)), [letter], 'kept whole: read again, it says the same');
        },
      ),
      { numRuns: 1_500 },
    );
  });

  it('never throws on bytes that were cut or flipped', () => {
    fc.assert(
      fc.property(fc.constantFrom(...BODIES), fc.nat(), fc.nat(255), fc.nat(), (body, at, byte, end) => {
        const bytes = Buffer.from(JSON.stringify(body));
        bytes[at % bytes.length] = byte;
        check(bytes);
        check(bytes.subarray(0, end % bytes.length));
      }),
      { numRuns: 500 },
    );
  });
});

function check(body: Uint8Array): readonly UnreadableItem[] {
  const { items, unreadable } = parseWhatsAppWebhook({ tenant: TENANT, body, phoneNumberIds: [NUMBER] });
  for (const { event } of items) {
    const { address, ...bare } = { address: undefined, ...event };
    const whole = address === undefined ? bare : { ...bare, subject: 'conversation/1' };
    assert.deepEqual(eventSchemaOf(whole).safeParse(whole).error, undefined);
    assert.doesNotMatch(JSON.stringify(event), /\\u0000|\\ud[89a-f]/i);
  }
  for (const letter of unreadable) assert.ok(letter.problem.length > 0 && !letter.body.includes('\0'));
  return unreadable;
}

function mutate(root: unknown, steps: readonly number[], value: unknown, how: string): void {
  let at = root;
  for (const [index, step] of steps.entries()) {
    if (typeof at !== 'object' || at === null) return;
    const holder = at as Record<string, unknown>;
    const keys = Object.keys(holder);
    const key = keys[step % Math.max(keys.length, 1)];
    if (key === undefined || index === steps.length - 1) {
      if (how === 'add') holder[`extra${step}`] = value;
      else if (key !== undefined && how === 'remove') Reflect.deleteProperty(holder, key);
      else if (key !== undefined) holder[key] = value;
      return;
    }
    at = holder[key];
  }
}
