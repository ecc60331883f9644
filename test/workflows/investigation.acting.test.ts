import assert from 'node:assert/strict';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { ActionInput, Investigation } from '../../src/domain/schemas/investigations.ts';
import { ACME } from '../support/facts.ts';
import { InvestigationRig, type Opened } from '../support/investigation-rig.ts';
import { orderFor } from '../support/restock-agent.ts';
import { timeSkipping } from '../support/temporal.ts';
import { until } from '../support/until.ts';

const eur = (amount: number) => ({ amount, currency: 'EUR' });

describe('an investigation that acts, with time skipped', () => {
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

  const signature = () => `acting:${(names += 1)}`;
  const is = async (of: Opened, status: Investigation['status']) => rig.whenIt(of, (view) => view.status === status);
  const approved = async (): Promise<Opened> => {
    const of = await rig.occur(signature());
    await is(of, 'proposed');
    await rig.decide(of, 'ana');
    return of;
  };
  const states = ({ results }: Investigation) => results.map(({ step, state }) => [step, state]);

  const hold = {
    kind: 'payment.hold',
    step: 'hold',
    title: 'Hold',
    risk: 'low',
    paymentId: 'PAY-1',
    reason: 'r',
  } as const;
  const hopeless = { ...hold, step: 'third', paymentId: 'PAY-9' } as const;

  it('leaves the books as they were when the third step fails for good, and says so', async () => {
    rig.actions = (stock) => [orderFor(stock), hold, hopeless];
    const of = await rig.occur(signature());
    await is(of, 'proposed');
    await rig.decide(of, 'ana');
    const ended = await of.result();
    assert.equal(ended.status, 'failed');
    assert.deepEqual(
      ended.results.map(({ step, state }) => [step, state]),
      [
        ['order', 'undone'],
        ['hold', 'undone'],
        ['third', 'failed'],
      ],
    );
    assert.match(ended.reason ?? '', /third failed: the ERP knows no payment PAY-9.*undone: .*nothing is left of it/);
    assert.deepEqual(await rig.orders(), ['cancelled']);
    assert.equal(await rig.payment(), 'scheduled');
  });

  it('says exactly what is left when what undoes an action fails', async () => {
    rig.actions = (stock) => [orderFor(stock), hold, hopeless];
    rig.beforeWrite = async (key) => {
      if (key.endsWith(':order:undo')) await rig.goodsReceived();
    };
    const of = await rig.occur(signature());
    await is(of, 'proposed');
    await rig.decide(of, 'ana');
    const ended = await of.result();
    assert.equal(ended.status, 'failed');
    assert.match(ended.reason ?? '', /left, to be put right by hand: order \(purchaseorder-w\d+\): wrong_status/);
    assert.equal(await rig.payment(), 'scheduled', 'the others are undone all the same');
    assert.deepEqual(await rig.orders(), ['received']);
  });

  it('takes the first acceptable offer of several suppliers, and orders there', async () => {
    rig.actions = (stock) => [
      {
        ...{ kind: 'suppliers.ask', step: 'ask', title: 'Ask two', risk: 'low', text: 'Eight of P-1, by when?' },
        ...{ productId: 'P-1', quantity: 8, maxUnitCost: { amount: 220, currency: 'EUR' }, within: '2h' },
        suppliers: [{ supplierId: 'S-1', conversation: 'c-1' }, { supplierId: 'S-2' }],
      },
      { ...orderFor(stock, { offerOf: 'ask' }), supplierId: undefined },
    ];
    const of = await rig.occur(signature());
    await is(of, 'proposed');
    await rig.decide(of, 'ana');
    await until('the question', async () => (await rig.view(of)).asked !== null);
    const offer = (supplierId: string, amount: number) =>
      rig.answer(of, {
        step: 'ask',
        actor: 's',
        answer: { kind: 'offer', supplierId, unitCost: { amount, currency: 'EUR' }, deliverOn: '2026-12-02' },
      });
    assert.match((await offer('S-1', 250)) ?? '', /not acceptable.*unitCost: must be €2\.20 at most/);
    assert.match((await offer('S-9', 100)) ?? '', /supplierId: asked were S-1, S-2/);
    assert.equal(await offer('S-2', 200), null);
    const ended = await of.result();
    assert.equal(ended.status, 'executed', ended.reason ?? '');
    assert.deepEqual(await rig.ordersWith(), ['S-2']);
    assert.equal(rig.attached.filter((one) => one.startsWith('notify ')).length, 1);
  });

  it('waits for a person and for a date, and stops at a no', async () => {
    const later = new Date((await environment.currentTimeMs()) + 6 * 3_600_000).toISOString();
    rig.actions = (stock) => [
      orderFor(stock, { notBefore: later }),
      { kind: 'person.confirm', step: 'sure', title: 'Sure?', risk: 'low', question: 'Did the supplier confirm?' },
    ];
    const of = await rig.occur(signature());
    await is(of, 'proposed');
    await rig.decide(of, 'ana');
    await environment.sleep('7h');
    await until('the question', async () => (await rig.view(of)).asked !== null);
    const view = await rig.view(of);
    assert.ok((view.results[0]?.at ?? '') >= later);
    await rig.answer(of, {
      step: 'sure',
      actor: 'bob',
      answer: { kind: 'confirmation', yes: false, note: 'no stock' },
    });
    const ended = await of.result();
    assert.match(ended.reason ?? '', /sure failed: answered no: no stock/);
    assert.deepEqual(await rig.orders(), ['cancelled']);
  });

  const sure = { kind: 'person.confirm', step: 'sure', title: 'Sure?', risk: 'low', question: 'Sure?' } as const;
  const asked = async (of: Opened) => rig.whenIt(of, (view) => view.asked !== null);
  const yes = async (of: Opened) =>
    rig.answer(of, { step: 'sure', actor: 'bob', answer: { kind: 'confirmation', yes: true, note: null } });

  it('undoes what was done, and says why, when somebody changes what a later action rests on', async () => {
    rig.actions = (stock) => [orderFor(stock), sure, { ...hold, restsOn: [{ kind: 'payment', id: 'PAY-1' }] }];
    const of = await approved();
    await asked(of);
    await rig.paymentChanges();
    await yes(of);
    const ended = await of.result();
    assert.equal(ended.status, 'failed');
    assert.deepEqual(states(ended), [
      ['order', 'undone'],
      ['sure', 'kept'],
      ['hold', 'failed'],
    ]);
    assert.match(
      ended.reason ?? '',
      /hold failed: what it rests on has changed since it was agreed to\. undone: order/,
    );
    assert.deepEqual([await rig.orders(), await rig.payment()], [['cancelled'], 'scheduled']);
  });

  it('takes what its own actions changed for no change', async () => {
    rig.actions = (stock) => {
      const half = {
        ...orderFor(stock),
        lines: [{ productId: 'P-1', quantity: 4, unitCost: eur(250) }],
      } as ActionInput;
      return [half, { ...half, step: 'rest' }];
    };
    const of = await approved();
    await rig.executed(of);
    assert.deepEqual(await rig.orders(), ['open', 'open']);
  });

  const attach: ActionInput = {
    ...{ kind: 'agent.attach', step: 'talk', title: 'Talk', risk: 'low', subject: 'business' },
    ...{ agent: 'notify', restsOn: [{ kind: 'stock', id: 'P-1' }] },
  };

  it('goes on after days of waiting when records have moved and nothing that was decided on has changed', async () => {
    rig.actions = (stock) => [sure, attach, orderFor(stock)];
    const before = rig.attached.length;
    const of = await approved();
    await asked(of);
    await environment.sleep('20h');
    await rig.stockMoves();
    await yes(of);
    await rig.executed(of);
    assert.deepEqual([rig.attached.length, await rig.orders()], [before + 1, ['open']]);
  });

  it('attaches nobody, too, when what that rests on has changed', async () => {
    const before = rig.attached.length;
    rig.actions = () => [sure, attach];
    const of = await approved();
    await asked(of);
    await rig.stockIs(9);
    await yes(of);
    assert.equal((await of.result()).status, 'failed');
    assert.equal(rig.attached.length, before);
  });

  it('waits for more than a day behind a kill switch, undoes nothing and counts nothing as unknown', async () => {
    rig.actions = (stock) => [orderFor(stock), hold];
    const key = { tenant: ACME, scope: 'agent', key: 'restock' } as const;
    rig.afterWrite = async (write) => {
      const at = new Date(0).toISOString();
      if (write.endsWith(':order')) await rig.desk.switches.turnOff({ ...key, by: 'ana', reason: null, at });
    };
    const of = await approved();
    await rig.whenIt(of, ({ results }) => results.length === 1);
    await environment.sleep('25h');
    const held = await rig.view(of);
    assert.deepEqual([held.status, states(held)], ['executing', [['order', 'done']]]);
    await rig.desk.switches.turnOn(key);
    await rig.executed(of);
    assert.deepEqual([rig.writes, await rig.payment()], [2, 'held']);
  });

  it('holds back what undoes an action, too', async () => {
    rig.actions = (stock) => [orderFor(stock), hopeless];
    const key = { tenant: ACME, scope: 'tenant', key: '*' } as const;
    rig.beforeWrite = async (write) => {
      const at = new Date(0).toISOString();
      if (write.endsWith(':third')) await rig.desk.switches.turnOff({ ...key, by: 'ana', reason: null, at });
    };
    const of = await approved();
    await rig.whenIt(of, ({ results }) => results.length === 2);
    await environment.sleep('25h');
    assert.deepEqual(await rig.orders(), ['open']);
    await rig.desk.switches.turnOn(key);
    assert.match((await of.result()).reason ?? '', /nothing is left of it/);
    assert.deepEqual(await rig.orders(), ['cancelled']);
  });

  it('rolls over after two thousand signals with its proposal, the agreement there was and the keys it has seen', async () => {
    rig.actions = (stock) => [orderFor(stock, { risk: 'high' })];
    const name = signature();
    const of = await rig.occur(name);
    const before = await is(of, 'proposed');
    await rig.decide(of, 'ana');
    for (let from = 0; from < 2_000; from += 100)
      await Promise.all(Array.from({ length: 100 }, async (_, n) => rig.occur(name, {}, `key-${from + n}`)));
    const handle = environment.client.workflow.getHandle(of.workflowId);
    await until('the roll-over', async () => (await handle.describe()).runId !== of.signaledRunId);
    await rig.occur(name, {}, 'key-1999');
    const view = await rig.whenIt(of, ({ occurrences }) => occurrences >= 2_001);
    assert.deepEqual([view.id, view.openedAt, view.proposal], [before.id, before.openedAt, before.proposal]);
    assert.equal((await rig.decide(of, 'ana'))?.refused, 'already_decided');
    assert.equal(await rig.decide(of, 'bob'), null);
    const ended = (await handle.result()) as Investigation;
    assert.deepEqual([ended.status, ended.id, ended.occurrences], ['executed', before.id, 2_001]);
    assert.deepEqual(await rig.orders(), ['open']);
  });
});
