import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isWithinDaySpan, localDate } from '../../src/domain/local-time.ts';
import { isWithinWorkingHours } from '../../src/domain/working-calendar.ts';
import { maySend, SERVICE_WINDOW_MS, type SendQuestion } from '../../src/domain/may-send.ts';

const HOUR = 3_600_000;
const template = { name: 'hello_again', language: 'en', parameters: [] };
const after = (instant: string, ms: number): string => new Date(Date.parse(instant) + ms).toISOString();

describe('maySend, whatever it is asked', () => {
  const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
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
      marketingStopped: fc.boolean(),
      marketing: fc.option(fc.boolean(), { nil: undefined }),
      category: fc.constantFrom(undefined, 'marketing' as const, 'utility' as const),
      zone: fc.constantFrom('America/New_York', 'America/Santiago', 'Asia/Kolkata', 'UTC'),
      noContact: fc.boolean(),
      channel: fc.constantFrom(null, { hasServiceWindow: true }, { hasServiceWindow: false }),
      inbound: fc.option(ago(30 * HOUR)),
      closed: fc.boolean(),
      quietHours: fc.option(fc.record({ from: wallClock, to: wallClock })),
      workingHours: fc.option(
        fc.array(fc.record({ days: fc.subarray([...WEEK], { minLength: 1 }), from: wallClock, to: wallClock }), {
          minLength: 1,
          maxLength: 3,
        }),
      ),
      holidays: fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 8 }),
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
          ...(of.withTemplate ? { template: { ...template, category: of.category } } : {}),
          marketing: of.marketing,
          ...(of.notAfter === null ? {} : { notAfter: after(now, of.notAfter - HOUR) }),
        },
        contact: of.noContact
          ? null
          : {
              optedOut: of.optedOut,
              marketingStopped: of.marketingStopped,
              timeZone: of.zone,
              holidays: of.holidays.map((day) => localDate(after(now, day * 24 * HOUR), of.zone)),
            },
        conversation: { channel: of.channel, lastInboundAt: back(of.inbound), closed: of.closed },
        policy: {
          quietHours: of.quietHours,
          workingHours: of.workingHours,
          proactivePerDay: of.proactivePerDay,
          sendsPerMinute: of.sendsPerMinute,
        },
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
    'lets no marketing of its own out to somebody who stopped it, and refuses nothing else for that',
    holds((of) => {
      const isMarketing = of.send.marketing === true || of.send.template?.category === 'marketing';
      const isStopped = of.contact?.marketingStopped === true && of.send.proactive && isMarketing;
      const decision = maySend(of);
      if (isStopped) assert.equal(decision.decision, 'never');
      else assert.ok(!('reason' in decision) || decision.reason !== 'marketing_stopped');
    }),
  );

  it(
    'lets its own ideas out in nobody’s quiet hours, in working hours, on no holiday',
    holds((of) => {
      const out = maySend(of).decision === 'send' || maySend(of).decision === 'template';
      if (!out || !of.send.proactive || of.contact === null) return;
      const { quietHours, workingHours } = of.policy;
      const { timeZone, holidays = [] } = of.contact;
      assert.ok(quietHours === null || !isWithinDaySpan(of.now, quietHours, timeZone));
      assert.ok(workingHours === null || isWithinWorkingHours(of.now, workingHours, timeZone));
      assert.ok(!holidays.includes(localDate(of.now, timeZone)));
    }),
  );

  it(
    'holds no answer back for the calendar, frequency or a closed conversation',
    holds((of) => {
      if (of.send.proactive) return;
      const decision = maySend(of);
      const reason = 'reason' in decision ? decision.reason : undefined;
      assert.ok(
        reason === undefined ||
          ![
            'quiet_hours',
            'working_hours',
            'holiday',
            'never_open',
            'frequency_cap',
            'conversation_closed',
            'proactive_off',
          ].includes(reason),
      );
    }),
  );

  it(
    'names an instant at which a deferred message does go out, if nothing else is sent meanwhile',
    holds((of) => {
      const decision = maySend(of);
      if (decision.decision !== 'defer' || ['no_contact', 'no_channel'].includes(decision.reason)) return;
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
