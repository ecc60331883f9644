/** What may be done with this run now. Pause and snooze are done at once and can be undone; what ends it asks first. */
import { useEffect, useRef, useState, type FocusEvent } from 'react';
import { useMayDo } from '../api/context.ts';
import { Menu } from '../parts/menu.tsx';
import { whoOf } from '../runs/run-name.tsx';
import { fully } from '../time/format.ts';
import { useSay } from '../words/words.ts';
import { ActDialog, type ActDialogProps, type AskedAct } from './act-dialog.tsx';
import { UNTILS } from './untils.ts';
import type { NamedRun } from './use-run.ts';
import { usePauseOrResume, useUndoableAct } from './use-act.ts';

export interface RunActsProps {
  readonly run: NamedRun;
  /** There is a newer one under this name: nothing is to be done with this one any more. */
  readonly isEarlier?: boolean;
  /** There is a newer run under this name now: this one. */
  readonly onHandedBack?: ActDialogProps['onHandedBack'];
}

export function RunActs({ run, isEarlier = false, onHandedBack }: RunActsProps) {
  const say = useSay();
  const may = useMayDo();
  const [asked, setAsked] = useState<AskedAct['act'] | undefined>();
  const { ref, ...keepsFocus } = useKeptFocus();
  return (
    <div className="bar run-acts" tabIndex={-1} ref={ref} {...keepsFocus}>
      {run.status === 'IN_PROGRESS' ? (
        <LiveActs run={run} ask={setAsked} />
      ) : (
        !isEarlier &&
        canComeBack(run) &&
        may('handback') && (
          <button type="button" className="main" onClick={() => setAsked('handback')}>
            {say('acts.handback')}
          </button>
        )
      )}
      {asked && (
        <ActDialog asked={{ act: asked, run }} onHandedBack={onHandedBack} onClose={() => setAsked(undefined)} />
      )}
    </div>
  );
}

/** What was pressed goes with what the run was: who acts by the keyboard goes on at what may be done now. */
function useKeptFocus() {
  const ref = useRef<HTMLDivElement>(null);
  const isHere = useRef(false);
  useEffect(() => {
    if (!isHere.current || document.activeElement !== document.body) return;
    (ref.current?.querySelector<HTMLElement>('button:not(:disabled)') ?? ref.current)?.focus();
  });
  return {
    ref,
    onFocus: () => {
      isHere.current = true;
    },
    // A button that is disabled while its act is done loses the focus and is still where somebody is.
    onBlur: ({ target }: FocusEvent) => {
      isHere.current = target.matches(':disabled');
    },
  };
}

/** A person has the conversation: it can be given back. */
function canComeBack({ status, reason, subject }: NamedRun): boolean {
  return subject !== 'business' && (status === 'EXITED_ON_OUTBOUND' || reason === 'handed_off');
}

function LiveActs({ run, ask }: { readonly run: NamedRun; readonly ask: (act: AskedAct['act']) => void }) {
  const say = useSay();
  const may = useMayDo();
  const pauseOrResume = usePauseOrResume();
  const act = useUndoableAct();
  const who = whoOf(say, run);
  const before = run.nextRunAt === null ? 0 : Date.parse(run.nextRunAt);
  const snooze = (until: Date) => {
    const back = run.nextRunAt;
    const [when, planned] = [fully(until.getTime(), say.language), fully(before, say.language)];
    void act(
      { act: 'snooze', run, body: { until: until.toISOString() } },
      until.getTime() < before ? say('acts.snoozedSooner', { who, when, planned }) : say('acts.snoozed', { who, when }),
      back === null || Date.parse(back) <= Date.now()
        ? { act: 'wake', run }
        : { act: 'snooze', run, body: { until: back } },
    );
  };
  return (
    <>
      {run.subject !== 'business' && may('takeover') && (
        <button type="button" className="main" onClick={() => ask('takeover')}>
          {say('acts.takeover')}
        </button>
      )}
      {run.phase === 'paused' && may('resume') && (
        <button type="button" onClick={() => pauseOrResume(run)}>
          {say('acts.resume')}
        </button>
      )}
      {run.phase !== 'paused' && may('pause') && (
        <Menu label={say('acts.pause')}>
          <button type="button" onClick={() => pauseOrResume(run)}>
            {say('acts.until.open')}
          </button>
          {Object.values(UNTILS).map(({ words, at }) => (
            <button key={words} type="button" onClick={() => pauseOrResume(run, at().toISOString())}>
              {say(words)}
            </button>
          ))}
        </Menu>
      )}
      {may('snooze') && (
        <Menu label={say('acts.snooze')}>
          {Object.values(UNTILS).map(({ words, at }) => (
            <button key={words} type="button" onClick={() => snooze(at())}>
              {say(words)} {at().getTime() < before && <span className="sooner">{say('acts.sooner')}</span>}
            </button>
          ))}
        </Menu>
      )}
      {may('wake') && (
        <button type="button" onClick={() => void act({ act: 'wake', run }, say('acts.woken', { who }), undefined)}>
          {say('acts.wake')}
        </button>
      )}
      {may('detach') && (
        <button type="button" className="danger" onClick={() => ask('detach')}>
          {say('acts.detach')}
        </button>
      )}
    </>
  );
}
