import assert from 'node:assert/strict';
import { WATCHERS } from '../../../src/agents/registry.ts';
import { stockout } from '../../../src/agents/stockout/stockout.ts';
import { commandOf } from '../../../src/activities/investigations/erp-commands.ts';
import { generateBusiness } from '../../../src/erp/demo/business/generate-business.ts';
import { investigated } from '../../support/investigated.ts';
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
      for (const { trigger } of opened(await watch(agent, { erp, at: eveningOf(UNTIL) }))) {
        const { proposal, evidence } = await investigated(agent, { erp, trigger, now: eveningOf(UNTIL) });
        assert.ok(typeof proposal === 'object', JSON.stringify(proposal));
        assert.ok(
          evidence.length >= 4 && proposal.method.length > 100 && Object.keys(proposal.preconditions).length > 0,
        );
      }
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
