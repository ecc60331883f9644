/**
 * Hands the conversation to people: their inbox opens it with the agent's note, and from then on a human holds it, which the other
 * runs on the conversation are told as of any human's coming in.
 * Repeated when its fate is unknown: a note twice does less harm than a customer nobody looks after.
 */
import { ChannelError } from '../../channels/channel-error.ts';
import { handedOff } from '../../domain/hand-offs.ts';
import { conversationOf } from '../../domain/ids.ts';
import type { EffectKindPerformer } from './performer.ts';

export const handOff: EffectKindPerformer = {
  before: async () => null,

  async call({ deps, input, channel, to, signal, now }) {
    const { effect, run } = input;
    const id = conversationOf(run.subject);
    if (effect.kind !== 'conversation.handOff' || id === undefined) return null;
    const { note, team } = effect;
    const { tenant, subject, agent } = run;
    const at = new Date(now).toISOString();
    // First: whatever the inbox answers, nobody else is left holding the customer.
    await deps.desk.conversations.setOwner({ tenant, id, owner: 'human', by: agent, at });
    const event = handedOff({ key: input.key, subject, agent, at });
    await deps.desk.intake.store({ tenant, channel: null, event });
    try {
      if (to !== null) await channel?.handOff?.(to, team === undefined ? { note } : { note, team }, signal);
    } catch (error) {
      if (error instanceof ChannelError && error.failure === 'permanent')
        deps.log.error(
          { effect: input.key, subject: run.subject, code: error.code },
          'the inbox refuses a hand-off: no agent answers this customer any more, and nobody there was told',
        );
      throw error;
    }
    return null;
  },

  lookUp: async () => 'repeatable',
};
