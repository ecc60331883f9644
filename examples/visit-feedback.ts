/** An agent in one file: the morning after a visit it asks how it was, and keeps the answer for the team. */
import { defineAgent, Duration, finish, nextLocal, note, reschedule, say, textOf, z } from 'attache-agents';

export const visitFeedback = defineAgent({
  key: 'visit-feedback',
  version: 1,
  title: 'Visit feedback',
  answers: true,
  attachesTo: 'conversation',
  config: z.strictObject({ question: z.string().default('How was your visit?'), patience: Duration.default('2d') }),
  state: z.strictObject({ step: z.enum(['new', 'planned', 'asked']) }),
  initialState: () => ({ step: 'new' as const }),
  wakeOn: ['message.inbound'],
  tick({ config, state, events, conversation, tenant, now, dueAt }) {
    const words = events.flatMap((event) =>
      event.type === 'message.inbound' ? [textOf(event.data.content) ?? ''] : [],
    );
    const zone = conversation?.timeZone ?? tenant.timeZone;

    if (state.step === 'asked' && words.length > 0)
      return finish({
        status: 'COMPLETED',
        reason: 'goal_reached',
        state,
        effects: [say('Thank you for telling us!'), note(`Feedback: ${words.join(' ').slice(0, 1_000)}`)],
      });
    if (state.step === 'asked') return finish({ status: 'COMPLETED', reason: 'gave_up', state });
    if (state.step === 'planned' && now < dueAt) return reschedule({ keep: true, state });
    if (state.step === 'planned') {
      const hello = `Hello, this is the automated assistant of ${tenant.name}. ${config.question}`;
      return reschedule({ in: config.patience, state: { step: 'asked' }, effects: [say(hello, { proactive: true })] });
    }
    return reschedule({
      at: nextLocal('10:00', zone, { after: now }),
      why: 'asks in the morning',
      state: { step: 'planned' },
    });
  },
});
