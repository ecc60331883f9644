import assert from 'node:assert/strict';
import { WATCHERS } from '../../../src/agents/registry.ts';
import { stockout } from '../../../src/agents/stockout/stockout.ts';
import { commandOf } from '../../../src/activities/investigations/erp-commands.ts';
import { changesBetween } from '../../../src/activities/investigations/look.ts';
import type { Evidence, ProposalDraft } from '../../../src/domain/schemas/investigations.ts';
import { generateBusiness } from '../../../src/erp/demo/business/generate-business.ts';
import { investigated } from '../../support/investigated.ts';
import { unread } from '../../support/unread.ts';
import { erpOf, eveningOf, opened, scoreOf, watch } from '../../support/watched.ts';

const UNTIL = '2026-06-19';
const PLANTS = {
  stockouts: 3,
  overdueInvoices: 8,
  stalledDeals: 6,
  duplicatePayments: 4,
  lateShipments: 6,
  nearMisses: 6,
};

describe('the watchers on a made-up year', () => {
  const business = generateBusiness({ seed: 'test watchers', until: UNTIL, plants: PLANTS });

  for (const agent of WATCHERS)
    it(`${agent.key} tells what is in trouble and nothing else`, async () => {
      const { found, wrong, missed } = await scoreOf(agent, business, UNTIL);
      assert.deepEqual({ wrong, missed }, { wrong: [], missed: [] });
      assert.ok(found > 0);
    });

  for (const agent of WATCHERS)
    it(`${agent.key} proposes something for each that can be decided on, with its method and numbers`, async () => {
      const erp = erpOf(business.records);
      const told: string[] = [];
      for (const { trigger, summary } of opened(await watch(agent, { erp, at: eveningOf(UNTIL) }))) {
        const { proposal, evidence } = await investigated(agent, { erp, trigger, now: eveningOf(UNTIL) });
        assert.ok(typeof proposal === 'object', JSON.stringify(proposal));
        assert.ok(
          evidence.length >= 4 && proposal.method.length > 100 && Object.keys(proposal.preconditions).length > 0,
        );
        told.push(
          summary,
          ...textsOf(proposal),
          ...evidence.flatMap(({ label, unit, source }) => [label, source, unit ?? 'days']),
        );
      }
      assert.deepEqual(unread(told), [], 'it can be read in Portuguese');
    });

  it('a stock-out’s order can be reckoned again by hand, on its evidence alone', async () => {
    const erp = erpOf(business.records);
    const at = eveningOf(UNTIL);
    const troubles = opened(await watch(stockout, { erp, at }));
    assert.equal(troubles.length, PLANTS.stockouts);
    for (const { trigger } of troubles) {
      const { proposal, evidence } = await investigated(stockout, { erp, trigger, now: at });
      assert.ok(typeof proposal === 'object');
      const [order] = proposal.actions;
      assert.ok(order?.kind === 'purchaseOrder.create');
      const { quantity, risk } = byHand(evidence, { from: UNTIL, supplier: order.supplierId ?? '' });
      const [minQuantity, packSize] = [/at least (\d+)/, /packs of (\d+)/].map((number) =>
        Number(number.exec(proposal.method)?.[1]),
      ) as [number, number];
      const ordered = order.lines[0]?.quantity ?? 0;
      const wanted = Math.ceil(Math.max(quantity, minQuantity) / packSize) * packSize;
      assert.ok(Math.abs(ordered - wanted) <= Math.max(packSize, 0.02 * wanted), `${ordered}, by hand ${quantity}`);
      const told = Number(/(\d+) % likely/.exec(proposal.summary)?.[1]);
      assert.ok(Math.abs(told - 100 * risk) <= 2, `${told} %, by hand ${risk}`);
    }
  });

  it('a stock-out’s order is another when goods have come, though they do not last, and the same when some are sold', async () => {
    const at = eveningOf(UNTIL);
    const [{ trigger } = assert.fail('none')] = opened(await watch(stockout, { erp: erpOf(business.records), at }));
    const preconditionsAfter = async (come: number) => {
      const records = business.records.map((each) =>
        each.kind === 'stock' && each.record.id === trigger['productId']
          ? { ...each, record: { ...each.record, onHand: each.record.onHand + come } }
          : each,
      );
      const { proposal } = await investigated(stockout, { erp: erpOf(records), trigger, now: at });
      return typeof proposal === 'string' ? assert.fail(proposal) : proposal.preconditions;
    };
    const agreed = await preconditionsAfter(0);
    const holdsAfter = async (come: number) =>
      stockout.investigator?.stillHolds(changesBetween(agreed, await preconditionsAfter(come)));
    const some = Math.ceil(0.15 * Number(agreed['quantity']));
    assert.deepEqual([await holdsAfter(some), await holdsAfter(-1), await holdsAfter(-some)], [false, true, true]);
  });

  it('an order that a stock-out led to is taken by the ERP, and then nothing is short', async () => {
    const erp = erpOf(business.records, () => Date.parse(eveningOf(UNTIL)));
    const at = eveningOf(UNTIL);
    const [first] = opened(await watch(stockout, { erp, at }));
    assert.ok(first !== undefined);
    const { proposal } = await investigated(stockout, { erp, trigger: first.trigger, now: at });
    assert.ok(typeof proposal === 'object');
    const [action] = proposal.actions;
    const command = action === undefined ? null : commandOf(action, undefined);
    assert.ok(command !== null);
    const answer = await erp.write(command, { idempotencyKey: 'order', precondition: [] });
    assert.equal(answer.outcome, 'done', JSON.stringify(answer));
    const again = await investigated(stockout, { erp, trigger: first.trigger, now: at });
    assert.match(JSON.stringify(again.proposal), /will last/);
  });
});

/** With the method that a proposal states, and nothing but what it shows. */
function byHand(evidence: readonly Evidence[], { from, supplier }: { from: string; supplier: string }) {
  const value = (label: string) => evidence.find((one) => one.label.startsWith(label))?.value ?? assert.fail(label);
  const number = (label: string) => Number(value(label));
  const [rate, dispersion] = [number('demand'), number('dispersion')];
  const parts = (value('weekdays') as string).split(' ').map(Number);
  const [lead, leadSpread] = [number(`${supplier} takes`), number(`${supplier}: standard deviation`)];
  const free = number('on hand') - number('reserved') + number('on order');
  const need = (days: number) => {
    const whole = Array.from({ length: Math.ceil(days) }, (_, n) => {
      const weekday = new Date(Date.parse(from) + n * 86_400_000).getUTCDay();
      return (parts[weekday] ?? 0) * Math.min(1, days - n);
    });
    const mean = rate * whole.reduce((sum, part) => sum + part, 0);
    const unknown = (mean ** 2 * dispersion) / (rate * number('plain days'));
    return { mean, spread: Math.sqrt(dispersion * mean + (rate * leadSpread) ** 2 + unknown) };
  };
  const [soon, late] = [need(lead), need(lead + 30)];
  return { quantity: late.mean + 1.65 * late.spread - free, risk: tailAbove((free + 0.5 - soon.mean) / soon.spread) };
}

/** Of the normal distribution, added up in thousandths. */
function tailAbove(z: number): number {
  let sum = 0;
  for (let at = z; at < 8; at += 0.001) sum += Math.exp(-((at + 0.0005) ** 2) / 2);
  return (sum * 0.001) / Math.sqrt(2 * Math.PI);
}

/** What of a proposal people read. */
function textsOf({ summary, method, actions, preconditions }: ProposalDraft): string[] {
  const acts = actions.flatMap((action) => [action.title, ...('question' in action ? [action.question] : [])]);
  return [summary, method, ...acts, ...Object.keys(preconditions)];
}
