import assert from 'node:assert/strict';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { ErpError } from '../../src/erp/erp-error.ts';
import type { EffectKey } from '../../src/domain/ids.ts';
import type { Investigation } from '../../src/domain/schemas/investigations.ts';
import { ACME } from '../support/facts.ts';
import { ACTIVITIES, InvestigationRig, type Opened } from '../support/investigation-rig.ts';
import { orderFor } from '../support/restock-agent.ts';
import { timeSkipping } from '../support/temporal.ts';
import { until } from '../support/until.ts';

describe('an investigation, with time skipped', () => {
  let environment: TestWorkflowEnvironment;
  let rig: InvestigationRig;
  let names = 0;
  before(async () => {
    environment = await timeSkipping();
    rig = await InvestigationRig.open(environment);
  });
  beforeEach(() => rig.newBooks());
  after(async () => {
    await rig.close();
    await environment.teardown();
  });

  const signature = () => `stockout:${(names += 1)}`;
  const is = async (of: Opened, status: Investigation['status']) => rig.whenIt(of, (view) => view.status === status);

  const executed = async (of: Opened) => rig.executed(of);

  it('gathers evidence, proposes, is approved by one person, orders once, verifies and reports to its watcher', async () => {
    const of = await rig.occur(signature());
    const { proposal } = await is(of, 'proposed');
    assert.deepEqual(
      proposal?.evidence.map(({ label, value }) => [label, value]),
      [
        ['On hand', 2],
        ['Open orders', 0],
      ],
    );
    assert.equal(proposal.approvals, 1);
    assert.deepEqual(proposal.cost, { amount: 2_000, currency: 'EUR' });
    assert.equal(await rig.decide(of, 'ana'), null);
    const ended = await of.result();
    assert.equal(ended.status, 'executed', ended.reason ?? '');
    assert.deepEqual(ended.verification, { ok: true, note: '8 on order' });
    assert.deepEqual(await rig.orders(), ['open']);
    assert.equal((await rig.desk.investigations.get(ACME, ended.id))?.status, 'executed');
    assert.deepEqual(await rig.told(ended.id), [
      'investigation.proposed',
      'investigation.decided',
      'investigation.executed',
    ]);
    const events = await rig.desk.events.after({ tenant: ACME, subject: ended.openedBy.subject, seq: 0, limit: 100 });
    const reports = events.filter((event) => JSON.stringify(event.data).includes(ended.id));
    assert.deepEqual(
      reports.map(({ type }) => type),
      ['custom.investigation.restock'],
    );
  });

  it('is one for fifty triggers at once, counts each key once, and is a new one after it has closed', async () => {
    const name = signature();
    const opened = await Promise.all(Array.from({ length: 50 }, async (_, n) => rig.occur(name, {}, `key-${n}`)));
    assert.equal(new Set(opened.map(({ signaledRunId }) => signaledRunId)).size, 1);
    const [of] = opened as [Opened];
    await rig.occur(name, {}, 'key-7');
    const view = await is(of, 'proposed');
    assert.equal(view.occurrences, 50);
    await rig.decide(of, 'ana', { decision: 'reject', reason: 'a fair is on' });
    assert.equal((await of.result()).status, 'rejected');
    assert.equal(await rig.desk.investigations.countedBy(ACME, 'key-7' as EffectKey), of.workflowId);
    const again = await rig.occur(name);
    assert.notEqual((await is(again, 'proposed')).id, view.id);
    await rig.decide(again, 'ana', { decision: 'reject' });
    await again.result();
  });

  it('orders once when it is approved twice at once, and tells the second who decided, when and what', async () => {
    const of = await rig.occur(signature());
    await is(of, 'proposed');
    const answers = await Promise.all([rig.decide(of, 'ana'), rig.decide(of, 'bob')]);
    const [refused] = answers.filter((answer) => answer !== null);
    assert.equal(answers.filter((answer) => answer === null).length, 1);
    assert.ok(refused?.refused === 'already_decided');
    const winner = answers[0] === null ? 'ana/ana' : 'bob/bob';
    assert.deepEqual([refused.decision?.actor, refused.decision?.decision], [winner, 'approve']);
    await of.result();
    assert.deepEqual(await rig.orders(), ['open']);
  });

  it('binds a decision to the proposal that was looked at', async () => {
    const of = await rig.occur(signature());
    await is(of, 'proposed');
    const refused = await rig.decide(of, 'ana', { proposalHash: 'another' });
    assert.equal(refused?.refused, 'proposal_changed');
    const viewer = await rig.decide(of, 'eve', { role: 'viewer' });
    assert.equal(viewer?.refused, 'forbidden');
    await rig.decide(of, 'ana', { decision: 'reject' });
    await of.result();
  });

  it('needs two people above the limit of risk, and one person twice is not two', async () => {
    rig.actions = (stock) => [orderFor(stock, { risk: 'high' })];
    const of = await rig.occur(signature());
    assert.equal((await is(of, 'proposed')).proposal?.approvals, 2);
    assert.equal(await rig.decide(of, 'ana'), null);
    const twice = await rig.decide(of, 'ana');
    assert.ok(twice?.refused === 'already_decided');
    assert.match(twice.message, /another person/);
    assert.deepEqual(await rig.orders(), []);
    assert.equal(await rig.decide(of, 'bob'), null);
    await executed(of);
  });

  it('asks nobody below the limit of the policy', async () => {
    rig.actions = (stock) => [orderFor(stock, { risk: 'low' })];
    const of = await rig.occur(signature(), { autoApproveBelow: { amount: 5_000, currency: 'EUR' } });
    const ended = await of.result();
    assert.equal(ended.status, 'executed', ended.reason ?? '');
    assert.deepEqual(
      ended.decisions.map(({ actor }) => actor),
      ['policy'],
    );
  });

  it('reminds, escalates and expires when nobody decides', async () => {
    const of = await rig.occur(signature(), { expiresIn: '24h', remindAfter: '8h', escalateAfter: '12h' });
    const ended = await of.result();
    assert.equal(ended.status, 'expired');
    assert.deepEqual(await rig.told(ended.id), [
      'investigation.proposed',
      'investigation.reminder',
      'investigation.escalated',
      'investigation.reminder',
      'investigation.expired',
    ]);
    assert.deepEqual(await rig.orders(), []);
  });

  it('proposes anew, telling what has changed, when stock arrives between proposal and approval; the old approval is void', async () => {
    const of = await rig.occur(signature());
    const first = await is(of, 'proposed');
    await rig.stockIs(7);
    await rig.decide(of, 'ana');
    const second = await until('a second proposal', async () => {
      const view = await rig.view(of);
      return view.proposal?.revision === 2 && view;
    });
    assert.equal(second.status, 'proposed');
    assert.deepEqual(second.proposal?.changed, [{ name: 'need', before: 8, after: 3 }]);
    assert.deepEqual(
      second.decisions.map(({ valid }) => valid),
      [false],
    );
    assert.deepEqual(await rig.orders(), []);
    const stale = await rig.decide(of, 'bob', { proposalHash: first.proposal?.hash ?? '' });
    assert.equal(stale?.refused, 'proposal_changed');
    await rig.stockIs(20);
    await rig.decide(of, 'ana');
    const ended = await of.result();
    assert.equal(ended.status, 'dismissed');
    assert.match(ended.reason ?? '', /stale, nothing is to be done any more/);
    assert.deepEqual(await rig.orders(), []);
  });

  it('carries out what was agreed to when what has moved is none of its investigator’s concern', async () => {
    const of = await rig.occur(signature());
    await is(of, 'proposed');
    await rig.stockIs(1);
    await rig.decide(of, 'ana');
    await executed(of);
    assert.deepEqual([await rig.orders(), (await rig.view(of)).proposal?.revision], [['open'], 1]);
  });

  it('looks again when something slips in between the last look and the act', async () => {
    const of = await rig.occur(signature());
    await is(of, 'proposed');
    let slips = 1;
    rig.beforeWrite = async () => {
      if (slips-- > 0) await rig.stockIs(7);
    };
    await rig.decide(of, 'ana');
    const second = await until('a second proposal', async () => {
      const view = await rig.view(of);
      return view.proposal?.revision === 2 && view;
    });
    assert.deepEqual(second.proposal?.changed, [{ name: 'need', before: 8, after: 3 }]);
    assert.deepEqual(await rig.orders(), []);
    await rig.decide(of, 'ana');
    await executed(of);
  });

  it('orders once although the answer of the ERP is lost three times', async () => {
    const of = await rig.occur(signature());
    await is(of, 'proposed');
    let losses = 3;
    rig.afterWrite = () => {
      if (losses-- > 0) throw new ErpError({ failure: 'unknown_fate', code: 'cut', message: 'connection cut' });
    };
    await rig.decide(of, 'ana');
    await executed(of);
    assert.deepEqual(await rig.orders(), ['open']);
    assert.equal(rig.writes, 1, 'read back by its key, not written again');
  });

  it('fails with the words of its investigator when a step throws three times', async () => {
    rig.erp = { ...rig.erp, get: () => Promise.reject(new Error('a defect')) };
    const of = await rig.occur(signature());
    const ended = await of.result();
    assert.equal(ended.status, 'failed');
    assert.match(ended.reason ?? '', /a defect/);
  });

  it('waits out an ERP that is away while it looks', async () => {
    let away = 5;
    const { erp } = rig;
    rig.erp = {
      ...rig.erp,
      get: async (kind, id, options) => {
        if (away-- > 0) throw new ErpError({ failure: 'outage', code: '503', message: 'away' });
        return erp.get(kind, id, options);
      },
    };
    rig.actions = (stock) => [orderFor(stock, { risk: 'low' })];
    await executed(await rig.occur(signature(), { autoApproveBelow: { amount: 5_000, currency: 'EUR' } }));
  });

  it('goes on from its step, and orders once, when a worker dies after any activity before it could tell', async () => {
    rig.actions = (stock) => [orderFor(stock, { risk: 'low' })];
    for (const activity of ACTIVITIES) {
      rig.loseFirstAnswerOf(activity);
      const before = (await rig.orders()).length;
      await executed(await rig.occur(signature(), { autoApproveBelow: { amount: 5_000, currency: 'EUR' } }));
      assert.deepEqual([activity, (await rig.orders()).length], [activity, before + 1]);
      rig.newBooks();
      rig.actions = (stock) => [orderFor(stock, { risk: 'low' })];
    }
  });
});
