/** A watcher for tests that needs no ERP: it finds one shelf low, and asks whether somebody will look. */
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { openInvestigation } from '../../src/agents/effects.ts';
import { defineInvestigator } from '../../src/agents/investigate.ts';
import { reschedule } from '../../src/agents/outcomes.ts';

const Config = z.strictObject({ shelf: z.string() });

export const shelfAgent = defineAgent({
  key: 'shelf',
  version: 1,
  title: 'Watches a shelf',
  answers: false,
  attachesTo: 'business',
  config: Config,
  state: z.strictObject({}),
  initialState: () => ({}),
  wakeOn: [],
  tick: ({ config: { shelf } }) =>
    reschedule({
      in: '1d',
      state: {},
      effects: [
        openInvestigation({ signature: `shelf:${shelf}`, summary: `Shelf ${shelf} is low`, trigger: { shelf } }),
      ],
    }),
  investigate: defineInvestigator({
    config: Config,
    trigger: z.strictObject({ shelf: z.string() }),
    steps: {
      count: ({ now }) => {
        const evidence = [{ label: 'On the shelf', value: 3, unit: 'pieces', source: 'counted by hand', asOf: now }];
        return Promise.resolve({ facts: { left: 3 }, evidence });
      },
    },
    propose: ({ trigger: { shelf }, facts: { count } }) => ({
      summary: `Fill shelf ${shelf}: ${count.left} pieces are left`,
      method: 'what was counted, against ten',
      actions: [
        {
          ...{ kind: 'person.confirm', step: 'look', risk: 'low' },
          ...{ title: `Somebody fills shelf ${shelf}`, question: `Is shelf ${shelf} full again?` },
          cost: { amount: 12_50, currency: 'EUR' },
        },
      ],
      preconditions: { left: count.left },
    }),
    verify: () => Promise.resolve({ ok: true, note: 'somebody looked' }),
  }),
});
