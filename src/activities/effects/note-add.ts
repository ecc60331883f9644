/** Leaves a note for people, never seen by the customer; the ledger keeps it where the channel has no notes. */
import type { EffectKindPerformer } from './performer.ts';

export const noteAdd: EffectKindPerformer = {
  before: async () => null,

  async call({ input, channel, to, row, signal }) {
    if (input.effect.kind === 'note.add' && to !== null)
      await channel?.addNote?.(to, { text: input.effect.text, reference: row.reference }, signal);
    return null;
  },

  lookUp: async ({ channel }) => (channel?.addNote === undefined ? 'repeatable' : 'cannot_know'),
};
