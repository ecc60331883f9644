/** Attaching and detaching, as investigations ask for it. */
import type { Client } from '@temporalio/client';
import { AttachmentMismatchError, NotAttachedError } from '../client.ts';
import { attacherOf } from '../client/attacher.ts';
import { createRunClient } from '../client/run-client.ts';
import type { AgentRuns } from '../activities/investigations/deps.ts';
import type { AttachmentId } from '../domain/ids.ts';

export function agentRuns(client: Client): AgentRuns {
  const runs = createRunClient(client, { isRecorded: true });
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
    attacherOf: async (run) => attacherOf(client, run),
  };
}
