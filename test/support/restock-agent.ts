/** A watcher for tests: its investigator is as small as one can be. */
import { z } from 'zod';
import { defineAgent, type Agent } from '../../src/agents/define-agent.ts';
import { openInvestigation } from '../../src/agents/effects.ts';
import { defineInvestigator, dismiss } from '../../src/agents/investigate.ts';
import { reschedule } from '../../src/agents/outcomes.ts';
import type { ErpRecord } from '../../src/domain/schemas/erp-records.ts';
import type { ActionInput } from '../../src/domain/schemas/investigations.ts';

/** Orders what a product lacks; which actions that takes, the test says. Attached with `short`, it opens one for that product. */
export function restock(actions: (stock: ErpRecord<'stock'>) => readonly ActionInput[]): Agent {
  const Config = z.strictObject({ target: z.int().default(10), short: z.string().optional() });
  return defineAgent({
    ...{ key: 'restock', version: 1, title: 'Restock', answers: false, attachesTo: 'business' },
    ...{ config: Config, state: z.strictObject({}), initialState: () => ({}), wakeOn: [] },
    tick: ({ config: { short } }) =>
      reschedule({
        in: '1d',
        state: {},
        effects:
          short === undefined
            ? []
            : [
                openInvestigation({
                  ...{ signature: `short:${short}`, summary: `${short} runs out`, trigger: { productId: short } },
                }),
              ],
      }),
    investigate: defineInvestigator({
      config: Config,
      trigger: z.strictObject({ productId: z.string() }),
      steps: {
        stock: async ({ erp, trigger, signal, now }) => {
          const stock = await erp.get('stock', trigger.productId, { signal });
          if (stock === undefined) throw new Error('no stock level');
          const evidence = [{ label: 'On hand', value: stock.onHand, unit: 'pieces', source: 'erp: stock', asOf: now }];
          return { facts: { stock }, evidence };
        },
        orders: async ({ erp, trigger, signal, now }) => {
          const { items } = await erp.list('purchaseOrder', {
            ...{ limit: 100, signal, where: { productId: trigger.productId, status: 'open' } },
          });
          const evidence = [{ label: 'Open orders', value: items.length, source: 'erp: purchase orders', asOf: now }];
          return { facts: { open: items.length }, evidence };
        },
      },
      propose: ({ config, facts: { stock, orders } }) => {
        const need = config.target - stock.stock.onHand - stock.stock.onOrder;
        if (need <= 0 || orders.open > 0) return dismiss(`there is enough: ${stock.stock.onHand} on hand`);
        return {
          summary: `Order ${need} of P-1`,
          method: 'target less what is there and what is coming',
          actions: [...actions(stock.stock)],
          preconditions: { need, openOrders: orders.open },
        };
      },
      stillHolds: (changed) =>
        changed.every(({ name, before, after }) => name === 'need' && Number(after) > Number(before)),
      verify: async ({ erp, trigger }) => {
        const stock = await erp.get('stock', trigger.productId);
        const onOrder = stock?.onOrder ?? 0;
        return { ok: onOrder > 0, note: `${onOrder} on order` };
      },
    }),
  });
}

export function orderFor(stock: ErpRecord<'stock'>, more: Partial<ActionInput> = {}): ActionInput {
  const quantity = 10 - stock.onHand;
  const eur = (amount: number) => ({ amount, currency: 'EUR' });
  return {
    ...{ kind: 'purchaseOrder.create', step: 'order', title: `Order ${quantity}`, risk: 'medium', supplierId: 'S-1' },
    ...{ cost: eur(quantity * 250), expectedOn: '2026-12-05', restsOn: [{ kind: 'stock', id: 'P-1' }] },
    lines: [{ productId: 'P-1', quantity, unitCost: eur(250) }],
    ...more,
  } as ActionInput;
}
