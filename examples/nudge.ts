/** Asks a silent customer once; their answer is all it wants. */
import { defineAgent, Duration, finish, reschedule, say, z } from 'attache-agents';

export const nudge = defineAgent({
  key: 'nudge',
  version: 1,
  title: 'Nudge',
  answers: true,
  attachesTo: 'conversation',
  config: z.strictObject({ question: z.string(), patience: Duration.default('2d') }),
  state: z.strictObject({ asked: z.boolean() }),
  initialState: () => ({ asked: false }),
  wakeOn: ['message.inbound'],
  tick({ config, state, events }) {
    if (events.length > 0) return finish({ status: 'EXITED_ON_INBOUND', reason: 'customer_replied', state });
    if (state.asked) return finish({ status: 'COMPLETED', reason: 'gave_up', state });
    const ask = say(config.question, { proactive: true });
    return reschedule({ in: config.patience, state: { asked: true }, effects: [ask] });
  },
});
