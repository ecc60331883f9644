import assert from 'node:assert/strict';
import type { WorkingSpan } from '../../src/domain/schemas/policy.ts';
import { isWithinWorkingHours } from '../../src/domain/working-calendar.ts';
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

const ALWAYS: WorkingSpan[] = [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '00:00', to: '00:00' }];

function ask(
  change: Partial<SendQuestion> = {},
  conversation: Partial<SendQuestion['conversation']> = {},
): SendQuestion {
  return {
    now: NOON,
    send: text(),
    contact: { optedOut: false, marketingStopped: false, timeZone: 'UTC' },
    policy: { quietHours: { from: '21:00', to: '08:00' }, workingHours: null, proactivePerDay: 3, sendsPerMinute: 10 },
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
    assert.deepEqual(maySend(ask({ contact: { optedOut: true, marketingStopped: false, timeZone: 'UTC' } })), {
      decision: 'never',
      reason: 'opted_out',
    });
  });

  it('writes no marketing of its own to somebody who stopped it, and all else', () => {
    const contact = { optedOut: false, marketingStopped: true, timeZone: 'UTC' };
    const idea = (more: Partial<MessageSend>) => maySend(ask({ contact, send: text({ proactive: true, ...more }) }));
    const never = { decision: 'never', reason: 'marketing_stopped' };
    const offer = { ...template, category: 'marketing' as const };
    assert.deepEqual([idea({ marketing: true }), idea({ template: offer })], [never, never]);
    const reminder = { ...template, category: 'utility' as const };
    for (const more of [{}, { template }, { template: reminder }, { marketing: false }])
      assert.deepEqual(idea(more), { decision: 'send' });
    assert.deepEqual(idea({ proactive: false, marketing: true }), { decision: 'send' });
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
    assert.deepEqual(maySend(ask({}, { channel: null })), { ...wait, reason: 'no_channel' });
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
      contact: { optedOut: false, marketingStopped: false, timeZone: 'America/Sao_Paulo' },
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
    const off = { quietHours: null, workingHours: null, proactivePerDay: 0, sendsPerMinute: 10 };
    assert.deepEqual(maySend(ask({ send: proactive, policy: off })), { decision: 'never', reason: 'proactive_off' });
  });
});

describe('maySend, by a working calendar', () => {
  const office: WorkingSpan[] = [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '18:00' }];
  const SAO_PAULO = 'America/Sao_Paulo';
  const idea = (now: string, { holidays = [], workingHours = office }: Partial<Calendar> = {}, send = {}) =>
    maySend(
      ask(
        {
          now,
          send: text({ proactive: true, ...send }),
          contact: { optedOut: false, marketingStopped: false, timeZone: SAO_PAULO, holidays },
          policy: {
            quietHours: { from: '21:00', to: '08:00' },
            workingHours,
            proactivePerDay: 3,
            sendsPerMinute: 10,
          },
        },
        { channel: { hasServiceWindow: false } },
      ),
    );
  interface Calendar {
    readonly holidays: string[];
    readonly workingHours: WorkingSpan[];
  }

  it('waits for the office to open, by the contact’s clock', () => {
    // Friday 2026-11-27, 18:00 in São Paulo; the office opens on Monday at 09:00.
    assert.deepEqual(idea('2026-11-27T20:59:59.999Z'), { decision: 'send' });
    assert.deepEqual(idea('2026-11-27T21:00:00.000Z'), {
      decision: 'defer',
      reason: 'working_hours',
      until: '2026-11-30T12:00:00.000Z',
    });
  });

  it('names the holiday, and waits it out with the weekend behind it', () => {
    // Friday 2026-12-25.
    assert.deepEqual(idea('2026-12-25T13:00:00.000Z', { holidays: ['2026-12-25'] }), {
      decision: 'defer',
      reason: 'holiday',
      until: '2026-12-28T12:00:00.000Z',
    });
    assert.deepEqual(idea('2026-12-25T02:59:59.999Z', { holidays: ['2026-12-25'] }), {
      decision: 'defer',
      reason: 'quiet_hours',
      until: '2026-12-28T12:00:00.000Z',
    });
  });

  it('keeps holidays without working hours too', () => {
    const send = idea('2026-12-25T13:00:00.000Z', { holidays: ['2026-12-25'], workingHours: ALWAYS });
    assert.deepEqual(send, { decision: 'defer', reason: 'holiday', until: '2026-12-26T11:00:00.000Z' });
  });

  it('holds no answer back', () => {
    assert.deepEqual(idea('2026-12-25T13:00:00.000Z', { holidays: ['2026-12-25'] }, { proactive: false }), {
      decision: 'send',
    });
  });

  it('takes hours over midnight as those of the day on which they begin', () => {
    const bar: WorkingSpan[] = [{ days: ['fri'], from: '20:00', to: '20:30' }];
    const late: WorkingSpan[] = [{ days: ['fri'], from: '20:00', to: '02:00' }];
    assert.equal(isWithinWorkingHours('2026-11-28T04:59:00Z', late, SAO_PAULO), true);
    assert.equal(isWithinWorkingHours('2026-11-28T05:00:00Z', late, SAO_PAULO), false);
    assert.deepEqual(idea('2026-11-28T04:59:00.000Z', { workingHours: bar }), {
      decision: 'defer',
      reason: 'quiet_hours',
      until: '2026-12-04T23:00:00.000Z',
    });
  });

  it('refuses at once what the calendar will never let out', () => {
    const night: WorkingSpan[] = [{ days: ['mon'], from: '22:00', to: '23:00' }];
    assert.deepEqual(idea('2026-11-27T13:00:00.000Z', { workingHours: night }), {
      decision: 'never',
      reason: 'never_open',
    });
  });

  it('refuses before the weekend what would be too late after it', () => {
    assert.deepEqual(idea('2026-11-27T21:00:00.000Z', {}, { notAfter: '2026-11-30T11:59:59.000Z' }), {
      decision: 'never',
      reason: 'too_late',
    });
  });
});
