/** Closes the conversation, in its channel and in the desk. Closing twice is closing once. */
import type { EffectKindPerformer } from './performer.ts';

export const conversationClose: EffectKindPerformer = {
  before: async () => null,

  async call({ deps, input, conversation, channel, to, signal, now }) {
    if (to !== null) await channel?.close?.(to, signal);
    if (conversation !== null)
      await deps.desk.conversations.close({
        tenant: input.run.tenant,
        id: conversation.id,
        at: new Date(now).toISOString(),
      });
    return null;
  },

  lookUp: async () => 'repeatable',
};
