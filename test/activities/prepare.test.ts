import assert from 'node:assert/strict';
import { stockout } from '../../src/agents/stockout/stockout.ts';
import { leadQualification } from '../../src/agents/lead-qualification/lead-qualification.ts';
import type { ActivityDeps } from '../../src/activities/deps.ts';
import { prepare } from '../../src/activities/prepare.ts';
import type { Desk } from '../../src/desk/desk.ts';
import { BUSINESS, type Subject, type WorkflowId } from '../../src/domain/ids.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { activityDeps } from '../support/given.ts';
import { aConversation, accepted, ACME, aRun, at, fact } from '../support/facts.ts';

const nothing = () => undefined;
const DETACHED = { status: 'REMOVED_BY_USER', reason: 'detached', phase: null, nextRunAt: null } as const;

function depsWith(desk: Desk): ActivityDeps {
  return activityDeps(desk, { agents: { get: () => leadQualification }, clock: () => Date.parse(at('10:00:05')) });
}

describe('a run that is prepared', () => {
  let opened: TestDesk;
  let desk: Desk;
  before(async () => {
    opened = await openTestDesk();
    desk = opened.desk;
  });
  after(() => opened.close());

  const preparing = (deps: ActivityDeps, subject: Subject, origin: 'attach' | 'rule') => {
    const record = aRun(subject, { attachedAt: at('10:00:00') });
    const { tenant, slot, agent, workflowId, id: attachment, attachedAt } = record;
    const run = { tenant, subject, slot, agent, attachedAt, workflowId: workflowId as WorkflowId, attachment };
    return {
      record,
      run,
      prepared: async () => prepare(deps, { run, attach: { agent, config: {}, origin, actor: 'ana' } }),
    };
  };

  it('holds the conversation until its end lets go of it', async () => {
    const { id, subject } = aConversation();
    const { record, prepared } = preparing(depsWith(desk), subject, 'attach');
    assert.equal((await prepared()).result, 'ready');
    assert.equal((await desk.conversations.get(ACME, id))?.owner, 'agent');
    await desk.runs.recordEnd({ run: { ...record, ...DETACHED, endedAt: at('10:00:06') }, unhandled: [] });
    assert.equal((await desk.conversations.get(ACME, id))?.owner, 'none');
  });

  it('is begun in its timeline by whoever attached it, once, though nobody but Temporal was told', async () => {
    const { run, record, prepared } = preparing(depsWith(desk), aConversation().subject, 'attach');
    await prepared();
    await desk.runs.insertIfAbsent(record, 'attach');
    await prepared();
    const { items } = await desk.runs.timeline(run.attachment);
    assert.deepEqual(
      items.map((entry) => entry.entry === 'act' && [entry.act, entry.actor, entry.at]),
      [['attach', 'ana', record.attachedAt]],
    );
  });

  it('takes no conversation any more once it has ended, however late its preparation is', async () => {
    const { id, subject } = aConversation();
    const late: Desk = {
      ...desk,
      conversations: {
        ...desk.conversations,
        get: async (...which) => {
          await desk.runs.recordEnd({ run: { ...record, ...DETACHED, endedAt: at('10:00:04') }, unhandled: [] });
          return desk.conversations.get(...which);
        },
      },
    };
    const { record, prepared } = preparing(depsWith(late), subject, 'attach');
    await desk.conversations.ensure({ tenant: ACME, id, channel: 'api' });
    assert.equal((await prepared()).result, 'refused');
    assert.equal((await desk.conversations.get(ACME, id))?.owner, 'none');
  });

  it('is due within its agent’s jitter, spread over a fleet, and at the same instant however often it is prepared', async () => {
    const agent = { ...leadQualification, policy: { ...leadQualification.policy, jitter: '60s' as const } };
    const deps = { ...depsWith(desk), agents: { get: () => agent } };
    const due: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { prepared } = preparing(deps, aConversation().subject, 'attach');
      const [first, again] = [await prepared(), await prepared()];
      assert.ok(first.result === 'ready' && again.result === 'ready');
      assert.equal(first.nextRunAt, again.nextRunAt);
      due.push(first.nextRunAt);
    }
    assert.ok(
      due.every((one) => one >= at('10:00:05') && one < at('10:01:05')),
      due.join(),
    );
    assert.ok(new Set(due).size > 1, due.join());
  });

  it('takes no conversation from a human by a rule, however the two cross', async () => {
    const { id, subject } = aConversation();
    const assigned = fact(subject, { type: 'conversation.assigned', time: at('09:59:59'), data: { to: 'human' } });
    const crossed: typeof desk = {
      ...desk,
      conversations: {
        ...desk.conversations,
        get: async (...which) => {
          const before = await desk.conversations.get(...which);
          accepted(await desk.intake.store(assigned));
          return before;
        },
      },
    };
    const { prepared } = preparing(depsWith(crossed), subject, 'rule');
    assert.equal((await prepared()).result, 'refused');
    assert.equal((await desk.conversations.get(ACME, id))?.owner, 'human');
  });

  it('is seen to wait for a worker that knows its agent, and no longer once one does', async () => {
    const { subject } = aConversation();
    const { record, run, prepared } = preparing(depsWith(desk), subject, 'attach');
    const { agent } = run;
    const input = { run, attach: { agent, config: {}, origin: 'attach', actor: 'ana' } } as const;
    const stored = async () => desk.runs.get({ ...run, id: record.id });
    await assert.rejects(prepare({ ...depsWith(desk), agents: { get: nothing } }, input), /no worker here knows/);
    assert.match((await stored())?.heldUp ?? '', /no worker here knows the agent lead-qualification/);
    assert.equal((await desk.runs.latest(record.id)).heldUp, (await stored())?.heldUp);
    const { items } = await desk.runs.list({ tenant: ACME, subject, limit: 1 });
    assert.equal(items[0]?.id, record.id);
    assert.equal((await desk.runs.counts({ tenant: ACME, subject })).overdue, 1);
    assert.equal((await prepared()).result, 'ready');
    assert.equal((await stored())?.heldUp, undefined);
  });

  it('ends where whoever attached it left out who they are, or named topics that are none', async () => {
    const { run } = preparing(depsWith(desk), aConversation().subject, 'attach');
    const attach = { agent: run.agent, config: {}, origin: 'attach', actor: 'ana' } as const;
    const cases: [object, RegExp][] = [
      [{ actor: undefined }, /^actor/],
      [{ comment: 7 }, /^comment/],
      [{ topics: 'spring' }, /^topics/],
      [{ topics: ['Spring!'] }, /^topics\.0: must be lower-case/],
      [{ firstRunAt: 'tomorrow' }, /^firstRunAt/],
    ];
    for (const [wrong, words] of cases) {
      const refused = await prepare(depsWith(desk), { run, attach: { ...attach, ...wrong } });
      assert.ok(refused.result === 'refused' && refused.reason === 'invalid_config');
      assert.match(refused.comment, words);
    }
  });

  it('is refused where it reads an ERP and the tenant has none, naming what to configure', async () => {
    const deps = {
      agents: { get: () => stockout },
      erps: { of: nothing },
      tenant: (tenant: string) => ({ id: tenant, name: tenant, timeZone: 'UTC', policies: {} }),
    } as unknown as ActivityDeps;
    const { tenant, id: attachment, workflowId } = aRun(BUSINESS);
    const slot = stockout.slot;
    const prepared = await prepare(deps, {
      run: {
        tenant,
        subject: BUSINESS,
        slot,
        agent: stockout.key,
        attachedAt: at('10:00:00'),
        workflowId: workflowId as WorkflowId,
        attachment,
      },
      attach: { agent: stockout.key, config: {}, origin: 'attach', actor: 'ana' },
    });
    assert.ok(prepared.result === 'refused' && prepared.reason === 'invalid_config');
    assert.match(prepared.comment, /tenants\..+\.erp/);
  });
});
