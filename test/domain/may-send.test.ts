import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isWithinDaySpan } from '../../src/domain/local-time.ts';
import { maySend, SERVICE_WINDOW_MS, type SendQuestion } from '../../src/domain/may-send.ts';
import type { MessageSend } from '../../src/domain/schemas/effects.ts';

const HOUR = 3_600_000;
const NOON = '2026-06-02T12:00:00.000Z';
const template = { name: 'hello_again', language: 'en', parameters: [] };
const after = (instant: string, ms: number): string => new Date(Date.parse(instant) + ms).toISOString();
const text = (more: Partial<MessageSend> = {}): MessageSend => ({
  kind: 'message.send',
  text: 'hello',
  proactive: false,
  ...more,
});

function ask(
  change: Partial<SendQuestion> = {},
  conversation: Partial<SendQuestion['conversation']> = {},
): SendQuestion {
  return {
    now: NOON,
    send: text(),
    contact: { optedOut: false, timeZone: 'UTC' },
    policy: { quietHours: { from: '21:00', to: '08:00' }, proactivePerDay: 3, sendsPerMinute: 10 },
    counts: { inConversation: 0, proactiveToContact: 0 },
    ...change,
    conversation: {
      channel: { hasServiceWindow: true },
      lastInboundAt: after(NOON, -HOUR),
      closed: false,
      ...conversation,
    },
  };
}

describe('maySend', () => {
  it('sends an answer', () => assert.deepEqual(maySend(ask()), { decision: 'send' }));

  it('never writes to somebody who opted out', () => {
    assert.deepEqual(maySend(ask({ contact: { optedOut: true, timeZone: 'UTC' } })), {
      decision: 'never',
      reason: 'opted_out',
    });
  });

  it('drops what is late, and what would be late by the time it may go out', () => {
    assert.deepEqual(maySend(ask({ send: text({ notAfter: after(NOON, -1) }) })), {
      decision: 'never',
      reason: 'too_late',
    });
    assert.deepEqual(maySend(ask({ send: text({ notAfter: NOON }) })), { decision: 'send' });
    const night = {
      now: '2026-06-02T22:00:00.000Z',
      send: text({ proactive: true, notAfter: '2026-06-03T07:00:00.000Z' }),
    };
    assert.deepEqual(maySend(ask(night, { lastInboundAt: night.now })), { decision: 'never', reason: 'too_late' });
  });

  it('sends free text one minute before the window closes and never one minute after', () => {
    const minute = 60_000;
    const before = ask({}, { lastInboundAt: after(NOON, minute - SERVICE_WINDOW_MS) });
    const late = ask({}, { lastInboundAt: after(NOON, -minute - SERVICE_WINDOW_MS) });
    assert.deepEqual(maySend(before), { decision: 'send' });
    assert.deepEqual(maySend(late), { decision: 'never', reason: 'window_closed' });
    assert.deepEqual(maySend({ ...late, send: text({ template }) }), { decision: 'template', template });
    assert.deepEqual(maySend(ask({}, { channel: { hasServiceWindow: false }, lastInboundAt: null })), {
      decision: 'send',
    });
  });

  it('waits for somebody to write to', () => {
    const wait = { decision: 'defer', reason: 'no_contact', until: after(NOON, HOUR) };
    assert.deepEqual(maySend(ask({ contact: null })), wait);
    assert.deepEqual(maySend(ask({}, { channel: null })), wait);
    assert.deepEqual(maySend(ask({}, { lastInboundAt: null })), wait);
    assert.deepEqual(maySend(ask({ send: text({ template }) }, { lastInboundAt: null })), {
      decision: 'template',
      template,
    });
  });

  it('holds its own ideas back until the quiet hours of the contact end', () => {
    const morning = ask({
      now: '2026-06-02T10:00:00.000Z',
      send: text({ proactive: true }),
      contact: { optedOut: false, timeZone: 'America/Sao_Paulo' },
    });
    assert.deepEqual(maySend(morning), { decision: 'defer', reason: 'quiet_hours', until: '2026-06-02T11:00:00.000Z' });
    assert.deepEqual(maySend({ ...morning, send: text() }), { decision: 'send' });
  });

  it('refuses at night what the window will refuse in the morning', () => {
    const night = ask(
      { now: '2026-06-02T22:00:00.000Z', send: text({ proactive: true }) },
      { lastInboundAt: '2026-06-01T23:00:00.000Z' },
    );
    assert.deepEqual(maySend(night), { decision: 'never', reason: 'window_closed' });
  });

  it('keeps to the caps and says when there is room again', () => {
    const often = ask({
      send: text({ proactive: true }),
      counts: { inConversation: 0, proactiveToContact: 3, oldestProactiveAt: after(NOON, -23 * HOUR) },
    });
    assert.deepEqual(maySend(often), { decision: 'defer', reason: 'frequency_cap', until: after(NOON, HOUR) });
    const fast = ask({
      counts: { inConversation: 10, proactiveToContact: 9, oldestInConversationAt: after(NOON, -20_000) },
    });
    assert.deepEqual(maySend(fast), { decision: 'defer', reason: 'rate_limited', until: after(NOON, 40_000) });
    const above = ask({
      counts: { inConversation: 12, proactiveToContact: 0, oldestInConversationAt: after(NOON, -20_000) },
    });
    assert.deepEqual(maySend(above), { decision: 'defer', reason: 'rate_limited', until: after(NOON, 60_000) });
  });

  it('has no ideas of its own in a closed conversation, or where the policy allows none', () => {
    const proactive = text({ proactive: true });
    assert.deepEqual(maySend(ask({ send: proactive }, { closed: true })), {
      decision: 'never',
      reason: 'conversation_closed',
    });
    assert.deepEqual(maySend(ask({ send: text() }, { closed: true })), { decision: 'send' });
    const off = { quietHours: null, proactivePerDay: 0, sendsPerMinute: 10 };
    assert.deepEqual(maySend(ask({ send: proactive, policy: off })), { decision: 'never', reason: 'proactive_off' });
  });
});

describe('maySend, whatever it is asked', () => {
  const wallClock = fc.constantFrom('00:00', '02:30', '08:00', '13:00', '21:00', '23:59');
  const instant = fc.date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true });
  const ago = (span: number) => fc.integer({ min: 0, max: span });
  const question: fc.Arbitrary<SendQuestion> = fc
    .record({
      now: instant,
      proactive: fc.boolean(),
      withTemplate: fc.boolean(),
      withText: fc.boolean(),
      notAfter: fc.option(ago(60 * HOUR)),
      optedOut: fc.boolean(),
      zone: fc.constantFrom('America/New_York', 'America/Santiago', 'Asia/Kolkata', 'UTC'),
      noContact: fc.boolean(),
      channel: fc.constantFrom(null, { hasServiceWindow: true }, { hasServiceWindow: false }),
      inbound: fc.option(ago(30 * HOUR)),
      closed: fc.boolean(),
      quietHours: fc.option(fc.record({ from: wallClock, to: wallClock })),
      proactivePerDay: fc.integer({ min: 0, max: 3 }),
      sendsPerMinute: fc.integer({ min: 1, max: 3 }),
      inConversation: fc.nat(4),
      proactiveToContact: fc.nat(4),
      oldestProactive: fc.option(ago(24 * HOUR)),
      oldestInConversation: fc.option(ago(60_000)),
    })
    .map((of) => {
      const now = of.now.toISOString();
      const back = (ms: number | null): string | null => (ms === null ? null : after(now, -ms));
      return {
        now,
        send: {
          kind: 'message.send',
          proactive: of.proactive,
          ...(of.withText || !of.withTemplate ? { text: 'hello' } : {}),
          ...(of.withTemplate ? { template } : {}),
          ...(of.notAfter === null ? {} : { notAfter: after(now, of.notAfter - HOUR) }),
        },
        contact: of.noContact ? null : { optedOut: of.optedOut, timeZone: of.zone },
        conversation: { channel: of.channel, lastInboundAt: back(of.inbound), closed: of.closed },
        policy: { quietHours: of.quietHours, proactivePerDay: of.proactivePerDay, sendsPerMinute: of.sendsPerMinute },
        counts: {
          inConversation: of.inConversation,
          oldestInConversationAt: back(of.oldestInConversation),
          proactiveToContact: of.proactiveToContact,
          oldestProactiveAt: back(of.oldestProactive),
        },
      };
    });
  const holds = (check: (of: SendQuestion) => void) => () => fc.assert(fc.property(question, check), { numRuns: 300 });

  it(
    'sends no free text outside the window',
    holds((of) => {
      if (maySend(of).decision !== 'send' || of.conversation.channel?.hasServiceWindow !== true) return;
      assert.ok(
        of.conversation.lastInboundAt !== null &&
          Date.parse(of.now) - Date.parse(of.conversation.lastInboundAt) < SERVICE_WINDOW_MS,
      );
    }),
  );

  it(
    'sends nothing, in any form, to somebody who opted out, past notAfter, or to nobody',
    holds((of) => {
      const late = of.send.notAfter !== undefined && of.now > of.send.notAfter;
      const { decision } = maySend(of);
      if (of.contact === null || of.contact.optedOut || late) assert.ok(decision === 'never' || decision === 'defer');
    }),
  );

  it(
    'lets its own ideas out in nobody’s quiet hours',
    holds((of) => {
      const out = maySend(of).decision === 'send' || maySend(of).decision === 'template';
      if (!out || !of.send.proactive || of.policy.quietHours === null || of.contact === null) return;
      assert.equal(isWithinDaySpan(of.now, of.policy.quietHours, of.contact.timeZone), false);
    }),
  );

  it(
    'holds no answer back for quiet hours, frequency or a closed conversation',
    holds((of) => {
      if (of.send.proactive) return;
      const decision = maySend(of);
      const reason = 'reason' in decision ? decision.reason : undefined;
      assert.ok(
        reason === undefined ||
          !['quiet_hours', 'frequency_cap', 'conversation_closed', 'proactive_off'].includes(reason),
      );
    }),
  );

  it(
    'names an instant at which a deferred message does go out, if nothing else is sent meanwhile',
    holds((of) => {
      const decision = maySend(of);
      if (decision.decision !== 'defer' || decision.reason === 'no_contact') return;
      assert.ok(decision.until > of.now);
      const since = Date.parse(decision.until) - Date.parse(of.now);
      const gone = (count: number, oldest: string | null | undefined, cap: number, span: number): number =>
        since >= span
          ? 0
          : count === cap && oldest != null && Date.parse(decision.until) >= Date.parse(oldest) + span
            ? count - 1
            : count;
      const { counts, policy } = of;
      const later = maySend({
        ...of,
        now: decision.until,
        counts: {
          inConversation: gone(counts.inConversation, counts.oldestInConversationAt, policy.sendsPerMinute, 60_000),
          proactiveToContact: gone(
            counts.proactiveToContact,
            counts.oldestProactiveAt,
            policy.proactivePerDay,
            24 * HOUR,
          ),
        },
      });
      assert.ok(later.decision === 'send' || later.decision === 'template', JSON.stringify(later));
    }),
  );
});
