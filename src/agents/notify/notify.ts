/** Says one thing to one person, by all the rules of contact, and is gone. Attached by investigations; anybody may. */
import { z } from 'zod';
import { defineAgent } from '../define-agent.ts';
import { say } from '../effects.ts';
import { finish } from '../outcomes.ts';

export const notify = defineAgent({
  key: 'notify',
  version: 1,
  title: 'Says one thing',
  answers: false,
  attachesTo: 'conversation',
  config: z.strictObject({ text: z.string().min(1).max(4_096) }),
  state: z.strictObject({}),
  initialState: () => ({}),
  wakeOn: [],
  /** Says one thing whoever else is there: a human who writes does not make the news old. */
  policy: { onHumanMessage: 'ignore', maxMessages: 1 },
  tick: ({ config }) =>
    finish({
      ...{ status: 'COMPLETED', reason: 'goal_reached', state: {} },
      effects: [say(config.text, { proactive: true })],
    }),
});
