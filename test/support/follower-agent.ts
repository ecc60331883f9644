/** An agent that follows a topic and remembers every event it was given: what came twice, or never, shows in its state. */
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { reschedule } from '../../src/agents/outcomes.ts';

export const followerAgent = defineAgent({
  key: 'follower',
  version: 1,
  title: 'Follows the price list',
  answers: false,
  attachesTo: 'conversation',
  topics: ['price-list'],
  config: z.strictObject({}),
  state: z.strictObject({ heard: z.array(z.string()) }),
  initialState: () => ({ heard: [] }),
  wakeOn: ['custom.prices', 'message.inbound'],
  policy: { debounce: { quiet: '0s', max: '0s' }, jitter: '0s' },
  tick({ state, events }) {
    const news = events.map(({ id, data }) => `${id}: ${JSON.stringify(data)}`);
    return reschedule({ in: '30d', state: { heard: [...state.heard, ...news] } });
  },
});
