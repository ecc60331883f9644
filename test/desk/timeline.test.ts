import assert from 'node:assert/strict';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { aClaim, aConversation, aRun, at, fact, text } from '../support/facts.ts';

describe('the timeline of a run', function () {
  this.timeout(60_000);
  let opened: TestDesk;
  before(async () => {
    opened = await openTestDesk();
  });
  after(() => opened.close());

  it('is read page by page, the newest first, each entry once and under one id', async () => {
    const { desk } = opened;
    const { subject } = aConversation();
    const run = aRun(subject);
    await desk.runs.insertIfAbsent(run);
    for (let n = 1; n <= 4; n += 1) {
      await desk.intake.store(fact(subject, { type: 'message.inbound', time: at(`10:0${n}:00`), data: text(`m${n}`) }));
      const outcome = { kind: 'reschedule', nextRunAt: at('12:00:00'), why: null, effects: [] } as const;
      const times = { dueAt: at('10:00:00'), startedAt: at(`10:0${n}:00`), endedAt: at(`10:0${n}:01`) };
      const tick = { attachment: run.id, tick: n, attempt: 1, why: 'event' as const, events: [], outcome, ...times };
      await desk.runs.recordTick({ tick, run: { failures: 0 } });
    }
    const whole = await desk.runs.timeline(run.id);
    assert.deepEqual([whole.items.length, whole.nextCursor], [8, null]);
    const read: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < 9; pages += 1) {
      const page = await desk.runs.timeline(run.id, { limit: 3, ...(cursor === undefined ? {} : { cursor }) });
      read.unshift(...page.items.map(({ entryId }) => entryId));
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    assert.deepEqual(
      read,
      whole.items.map(({ entryId }) => entryId),
    );
    assert.equal(new Set(read).size, 8);
  });

  it('says when a message was sent, delivered and read, whatever the order of its statuses', async () => {
    const { desk } = opened;
    const { id, subject } = aConversation();
    const run = aRun(subject);
    await desk.runs.insertIfAbsent(run);
    await desk.intake.store(
      fact(subject, { type: 'message.inbound', data: { ...text('hi'), contact: { address: id } } }),
    );
    const claim = aClaim(run, { kind: 'message.send', text: 'hello', proactive: false });
    await desk.ledger.claim(claim);
    await desk.ledger.beginSending(claim.key, claim.attempt, 'claimed');
    await desk.ledger.sent({ key: claim.key, providerId: 'p-1', at: at('10:05:00') });
    for (const [status, time] of [
      ['read', '10:07:00'],
      ['delivered', '10:06:00'],
      ['delivered', '10:09:00'],
    ] as const)
      await desk.intake.store(
        fact(subject, { type: 'message.status', time: at(time), data: { providerId: 'p-1', status } }),
      );
    const { items } = await desk.runs.timeline(run.id);
    const sent = items.find((entry) => entry.entry === 'effect');
    assert.deepEqual(
      [sent?.status, sent?.sentAt, sent?.deliveredAt, sent?.readAt],
      ['read', at('10:05:00'), at('10:06:00'), at('10:07:00')],
    );
  });
});
