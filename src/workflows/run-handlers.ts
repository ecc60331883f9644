/**
 * What a run listens to. Handlers are synchronous and only change the state: nothing of theirs can be lost by a
 * roll-over. Signals are facts and always taken; updates are requests, refused before they leave a trace in history.
 */
import { ApplicationFailure, setHandler } from '@temporalio/workflow';
import type { EventRef } from '../domain/event-refs.ts';
import type { AttachmentId } from '../domain/ids.ts';
import { MAX_INTERVAL_MS } from '../domain/outcomes.ts';
import type { Run } from '../domain/schemas/runs.ts';
import * as messages from './messages.ts';
import type { AskedAct } from './run-data.ts';
import type { RunState } from './run-state.ts';

/** Who is told that the state may have changed, after every message. */
export interface Listener {
  heard(signals?: number): void;
  view(): Run;
}

interface Refusable {
  readonly attachment?: AttachmentId;
  readonly until?: string;
}

/** Sets every handler, before the first await of the workflow. */
export function listen(state: RunState, listener: Listener): void {
  const fact =
    <Fact>(take: (fact: Fact, now: number) => void) =>
    (told: Fact) => {
      take(told, Date.now());
      listener.heard(1);
    };
  const request =
    <Asked extends messages.Request>(name: AskedAct['act'], act: (request: Asked) => void) =>
    (asked: Asked) => {
      act(asked);
      state.asked(name, asked, Date.now());
      listener.heard();
      return listener.view();
    };
  const untilEnding = { validator: (asked: Refusable) => validate(state, asked, 'ending') };
  const untilEnded = { validator: (asked: Refusable) => validate(state, asked, 'ended') };

  setHandler(
    messages.eventArrived,
    fact((event: EventRef, now) => state.eventArrived(event, now)),
    { description: 'a fact from outside' },
  );
  setHandler(
    messages.humanTookOver,
    fact((told: messages.HumanTookOver, now) => state.humanTookOver(told, now)),
    { description: 'a human holds the conversation' },
  );
  setHandler(
    messages.undelivered,
    fact((told: messages.Undelivered, now) => state.undelivered(told, now)),
    { description: 'a message that was sent did not arrive' },
  );
  setHandler(
    messages.detached,
    fact((told: messages.Detached, now) => state.detached(told, now)),
    { description: 'the agent is to leave' },
  );
  setHandler(
    messages.pause,
    request('pause', (asked: messages.Pause) => state.pause(asked)),
    untilEnded,
  );
  setHandler(
    messages.resume,
    request('resume', (asked: messages.Resume) => state.resume(asked, Date.now(), Math.random())),
    untilEnded,
  );
  setHandler(
    messages.snooze,
    request('snooze', (asked: messages.Snooze) => state.snooze(asked)),
    untilEnding,
  );
  setHandler(
    messages.wakeNow,
    request('wake', (asked: messages.WakeNow) => state.wakeNow(asked.actor)),
    untilEnding,
  );
  setHandler(messages.view, () => listener.view());
  setHandler(messages.sendPermit, (asked) => state.permit(asked));
}

/** @throws {ApplicationFailure} of a type that `messages.ts` names. */
function validate(state: RunState, request: Refusable, takenUntil: 'ending' | 'ended'): void {
  const { data } = state;
  if (request.attachment !== undefined && request.attachment !== data.attachment)
    throw ApplicationFailure.nonRetryable('meant for another attachment', messages.OTHER_ATTACHMENT);
  const isOver = takenUntil === 'ended' ? !state.isLive() : data.end !== null;
  if (isOver) throw ApplicationFailure.nonRetryable('the run has ended', messages.RUN_ENDED);
  const { until } = request;
  // Not "later than": an instant that cannot be read is NaN.
  if (until !== undefined && !(Date.parse(until) <= Date.now() + MAX_INTERVAL_MS))
    throw ApplicationFailure.nonRetryable(
      'must be an ISO-8601 instant in UTC, at most 400 days ahead by Temporal’s clock',
      messages.INVALID_INSTANT,
    );
}
