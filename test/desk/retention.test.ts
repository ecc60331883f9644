import assert from 'node:assert/strict';
import type { Desk } from '../../src/desk/desk.ts';
import { DATABASES, openTestDesk, type TestDesk } from '../support/desk.ts';
import { aConversation, accepted, ACME, aClaim, aRun, fact, text } from '../support/facts.ts';

const DAY_MS = 86_400_000;

for (const kind of DATABASES)
  describe(`what the desk forgets on ${kind}`, () => {
    let opened: TestDesk;
    let desk: Desk;
    before(async () => {
      opened = await openTestDesk(kind);
      desk = opened.desk;
    });
    after(() => opened.close());

    it('is what is past its horizon, a few rows at a time; what may still be asked for stays', async () => {
      const { subject } = aConversation();
      const run = aRun(subject, { attachedAt: new Date(Date.now() - 60_000).toISOString() });
      await desk.runs.insertIfAbsent(run);
      const store = async (event: Parameters<typeof fact>[1]) =>
        accepted(await desk.intake.store(fact(subject, event))).event;
      const time = new Date().toISOString();
      const heard = await store({ type: 'message.inbound', time, data: text('Hi') });
      const human = await store({ type: 'message.outbound', time, data: { ...text('me'), by: 'Eva' } });
      const waiting = await store({ type: 'custom.a', time });
      for (const { key } of [heard, human]) await desk.events.markDelivered(key, [run.id]);
      const tick = { attempt: 1, why: 'due' as const, dueAt: time, startedAt: time, endedAt: time, events: [] };
      const outcome = { kind: 'failed' as const, fault: 'a', message: 'b' };
      for (const number of [1, 2])
        await desk.runs.recordTick({
          tick: { ...tick, attachment: run.id, tick: number, outcome },
          run: { failures: 0 },
        });
      const claim = aClaim(run, { kind: 'message.send', text: 'Hello' });
      await desk.ledger.claim(claim);
      await desk.ledger.settle({ key: claim.key, state: 'failed', reason: 'x' });
      await desk.limits.take({ key: 'a', perSecond: 1, burst: 1 });
      const after = async (days: number, limit = 100) => {
        const now = new Date(Date.now() + days * DAY_MS).toISOString();
        const forgotten = await desk.retention.forget({ now, limit });
        return Object.fromEntries(Object.entries(forgotten).filter(([, count]) => count > 0));
      };
      assert.deepEqual(await after(0), {});
      assert.deepEqual(await after(2), { limits: 1 });
      assert.deepEqual(await after(91, 1), { ticks: 1 });
      assert.deepEqual(await after(91), { ticks: 1 });
      assert.deepEqual(await after(181), { ledger: 1 });
      assert.deepEqual(await after(399), {});
      assert.deepEqual(await after(401), { deliveries: 2, events: 1 });
      assert.equal(await desk.events.get(ACME, heard.key), null);
      assert.ok((await desk.events.get(ACME, human.key)) !== null, 'a takeover speaks against sends for ever');
      assert.ok((await desk.events.get(ACME, waiting.key)) !== null, 'it has not been delivered');
      assert.equal(
        (await desk.conversations.messages({ tenant: ACME, conversation: subject.split('/')[1] as never, limit: 9 }))
          .items.length,
        2,
      );
    });
  });
