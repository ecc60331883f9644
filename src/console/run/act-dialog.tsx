/** An act that cannot be taken back says what it will do, and asks why; the reason stays on record. */
import { useState } from 'react';
import type { ActBody, ActedRun, RunRow } from '../api/shapes.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { toast } from '../parts/toasts.tsx';
import { useWho } from '../runs/run-name.tsx';
import { useSay } from '../words/words.ts';
import { useAct } from './use-act.ts';

export interface AskedAct {
  readonly act: 'takeover' | 'detach' | 'handback';
  readonly run: RunRow;
}

export interface ActDialogProps {
  readonly asked: AskedAct;
  readonly onClose: () => void;
  readonly onHandedBack?: ((begun: ActedRun) => void) | undefined;
}

export function ActDialog({ asked: { act, run }, onClose, onHandedBack }: ActDialogProps) {
  const say = useSay();
  const who = useWho(run);
  const mutation = useAct();
  const [reason, setReason] = useState('');
  const submit = async () => {
    const body: ActBody = reason.trim() === '' ? {} : act === 'handback' ? { note: reason } : { reason };
    try {
      const acted = await mutation.mutateAsync({ act, run, body });
      toast(say(acted.pending ? 'acts.pending' : `acts.${act}.done`, { who, agent: run.agent }), {
        about: run.workflowId,
      });
      onClose();
      if (act === 'handback') onHandedBack?.(acted);
    } catch {
      // Shown below, by the mutation's own state: the words typed here stay.
    }
  };
  return (
    <Dialog title={say(`acts.${act}.title`, { who })} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <p>{say(`acts.${act}.will`, { agent: run.agent, who })}</p>
        <label>
          {say(act === 'handback' ? 'acts.note' : 'acts.reason')}
          <textarea name="reason" maxLength={1_000} value={reason} onChange={({ target }) => setReason(target.value)} />
        </label>
        {mutation.isError && <ProblemNote error={mutation.error} acted />}
        <div className="acts">
          <button type="button" onClick={onClose}>
            {say('act.cancel')}
          </button>
          <button type="submit" className={act === 'detach' ? 'danger' : 'main'} disabled={mutation.isPending}>
            {say(`acts.${act}`)}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
