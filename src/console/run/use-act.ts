/** Acting on one run: the answer is shown at once, what was read before is read again, and what can be undone can. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { RunName } from '../addresses.ts';
import { useServer } from '../api/context.ts';
import type { ActBody, ActedRun, ActName, RunRow } from '../api/shapes.ts';
import { notDone, problemText } from '../parts/problem-note.tsx';
import { toast } from '../parts/toasts.tsx';
import { whoOf } from '../runs/run-name.tsx';
import { useSay } from '../words/words.ts';

export interface Act {
  readonly act: ActName;
  readonly run: RunRow;
  readonly body?: ActBody;
}

/** @throws what the server refused, to whoever awaits it. */
export function useAct() {
  const server = useServer();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ act, run, body }: Act) => server.act(run, act, { ...bound(act, run), ...body }),
    onSuccess: (acted, { run }) => {
      const name: RunName = { subject: run.subject, slot: run.slot };
      queries.setQueryData<ActedRun>([server.tenant, 'run', run.subject, run.slot, null], acted);
      void queries.invalidateQueries({ queryKey: [server.tenant, 'run', name.subject] });
      void queries.invalidateQueries({ queryKey: [server.tenant, 'timeline', name.subject] });
      void queries.invalidateQueries({ queryKey: [server.tenant, 'runs'] });
      void queries.invalidateQueries({ queryKey: [server.tenant, 'counts'] });
    },
  });
}

/** Each act is meant for the attachment that was on the screen; a hand-back begins another. */
function bound(act: ActName, run: RunRow): ActBody {
  return act === 'handback' ? {} : { id: run.id };
}

/** Acts without a question first, with the way back in the note that follows. */
export function useUndoableAct() {
  const say = useSay();
  const act = useAct();
  return async ({ run, ...asked }: Act, said: string, undo: Act | undefined): Promise<void> => {
    try {
      await act.mutateAsync({ run, ...asked });
      toast(said, { about: run.workflowId, undo: undo && (() => void act.mutateAsync(undo).catch(refused)) });
    } catch (error) {
      refused(error);
    }
  };

  function refused(error: unknown): void {
    toast(`${notDone(say, error)}: ${problemText(say, error)}`);
  }
}

export function usePauseOrResume() {
  const say = useSay();
  const act = useUndoableAct();
  return (run: RunRow, until?: string) => {
    const who = whoOf(say, run);
    if (run.phase === 'paused')
      return void act({ act: 'resume', run }, say('acts.resumed', { who }), { act: 'pause', run });
    return void act(
      { act: 'pause', run, ...(until === undefined ? {} : { body: { until } }) },
      say('acts.paused', { who }),
      { act: 'resume', run },
    );
  };
}
