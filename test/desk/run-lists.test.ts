import assert from 'node:assert/strict';
import type { Desk } from '../../src/desk/desk.ts';
import { InvalidInputError } from '../../src/domain/errors.ts';
import { parseAgentKey, parseTenantId } from '../../src/domain/ids.ts';
import { DATABASES, openTestDesk, type TestDesk } from '../support/desk.ts';
import { aConversation, ACME, aRun, at, LEAD } from '../support/facts.ts';

for (const kind of DATABASES)
  describe(`lists of runs on ${kind}`, () => {
    let opened: TestDesk;
    let desk: Desk;
    before(async () => {
      opened = await openTestDesk(kind);
      desk = opened.desk;
    });
    after(() => opened.close());

    async function live(over: Parameters<typeof aRun>[1] = {}) {
      const { subject } = aConversation();
      const run = aRun(subject, over);
      await desk.runs.insertIfAbsent(run);
      return { subject, run };
    }

    it('lists newest first, page by page, by every filter', async () => {
      const tenant = parseTenantId('lists');
      const runs = await Promise.all(
        Array.from({ length: 7 }, (_, n) =>
          live({
            tenant,
            attachedAt: at(`09:00:0${n >> 1}`),
            nextRunAt: at(`10:0${n}:00`),
            agent: n === 6 ? parseAgentKey('other') : LEAD,
          }),
        ),
      );
      await desk.runs.recordEnd({
        run: {
          ...(runs[0]?.run ?? aRun(aConversation().subject)),
          status: 'COMPLETED',
          reason: 'gave_up',
          endedAt: at('11:00:00'),
        },
        unhandled: [],
      });
      const pages = async (filter: object) => {
        const seen: string[] = [];
        let cursor: string | null = null;
        do {
          const page: Awaited<ReturnType<Desk['runs']['list']>> = await desk.runs.list({
            tenant,
            limit: 2,
            ...filter,
            ...(cursor !== null && { cursor }),
          });
          assert.ok(page.items.length <= 2);
          seen.push(...page.items.map(({ id }) => id));
          cursor = page.nextCursor;
        } while (cursor !== null);
        return seen;
      };
      const byNewest = runs
        .map(({ run }) => run)
        .sort((a, b) => (a.attachedAt + a.id < b.attachedAt + b.id ? 1 : -1))
        .map(({ id }) => id);
      assert.deepEqual(await pages({}), byNewest);
      assert.deepEqual(await pages({ agent: 'other' }), [runs[6]?.run.id]);
      assert.deepEqual(await pages({ status: 'COMPLETED' }), [runs[0]?.run.id]);
      assert.deepEqual(await pages({ subject: runs[3]?.subject }), [runs[3]?.run.id]);
      assert.deepEqual(
        await pages({ dueBefore: at('10:03:00') }),
        [1, 2, 3].map((n) => runs[n]?.run.id),
      );
    });

    it('names the cursor when it is none of ours', async () => {
      for (const cursor of [
        '',
        'nonsense',
        Buffer.from('["2026-11-30T00:00:00Z"]').toString('base64url'),
        Buffer.from('["x","y"]').toString('base64url'),
        Buffer.from('["2026-11-30T00:00:00Z","\\u0000"]').toString('base64url'),
      ])
        for (const list of [
          () => desk.runs.list({ tenant: ACME, limit: 1, cursor }),
          () => desk.events.list({ tenant: ACME, limit: 1, cursor }),
          () => desk.conversations.messages({ tenant: ACME, conversation: aConversation().id, limit: 1, cursor }),
        ])
          await assert.rejects(
            list,
            (error) => error instanceof InvalidInputError && error.problems[0]?.path === 'cursor',
          );
    });

    it('counts by status, reason and agent, and what is overdue', async () => {
      const tenant = parseTenantId('stats');
      const past = new Date(Date.now() - 60_000).toISOString();
      await live({ tenant, nextRunAt: past });
      await live({ tenant, nextRunAt: new Date(Date.now() + 60_000).toISOString() });
      await live({ tenant, nextRunAt: past, phase: 'paused' });
      await live({ tenant, status: 'COMPLETED', reason: 'gave_up', nextRunAt: null });
      await live({ tenant, status: 'COMPLETED', reason: 'goal_reached', nextRunAt: null });
      const { byStatus, byReason, byAgent, overdue } = await desk.runs.stats(tenant);
      assert.deepEqual([byStatus.IN_PROGRESS, byStatus.COMPLETED, byStatus.REMOVED_BY_USER], [3, 2, 0]);
      assert.deepEqual(byReason, { gave_up: 1, goal_reached: 1 });
      assert.deepEqual(byAgent, [
        { agent: LEAD, status: 'COMPLETED', count: 2 },
        { agent: LEAD, status: 'IN_PROGRESS', count: 3 },
      ]);
      assert.equal(overdue.count, 1);
      assert.ok(overdue.maxMs >= 60_000);
    });
  });
