/** Attaching and detaching, as investigations ask for it. */
import { AttachmentMismatchError, NotAttachedError, type RunClient } from '../client.ts';
import type { AgentRuns } from '../activities/investigations/deps.ts';
import type { AttachmentId } from '../domain/ids.ts';

export function agentRuns(runs: RunClient): AgentRuns {
  return {
    async attach(of) {
      const { attached, run } = await runs.attach(of);
      return { id: run.id as AttachmentId, isNew: attached };
    },
    async detach({ id, actor, ...ref }) {
      try {
        await runs.detach(ref, { actor, attachment: id });
      } catch (error) {
        // Gone by itself: there is nothing left to take away.
        if (!(error instanceof NotAttachedError || error instanceof AttachmentMismatchError)) throw error;
      }
    },
  };
}
