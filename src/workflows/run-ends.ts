/** How a run comes to its end: decided once, by whoever is first. */
import type { AttachmentId } from '../domain/ids.ts';
import { instant } from '../domain/instants.ts';
import { latestMoment } from '../domain/told-times.ts';
import type { EndReason, TerminalStatus } from '../domain/statuses.ts';
import type { Patched } from './run-changes.ts';
import type { RunData, RunEffect } from './run-data.ts';
import { cancelEffects, isHeldBack, isHeldBackMessage } from './run-effects.ts';

export interface EndedBy {
  readonly actor: string;
  readonly comment?: string;
  /** Workflow time, ms. */
  readonly now: number;
}

/** The end, whatever stood before; what is unfinished is taken back. */
export function decideEnd(data: RunData, status: TerminalStatus, reason: EndReason, by: EndedBy): void {
  data.end = { status, reason, actor: by.actor, comment: by.comment ?? null, at: instant(by.now) };
  data.paused = null;
  data.burst = null;
  cancelEffects(data, reason, () => true);
}

/**
 * A person's end. It replaces one the agent decided as long as the last effect of that has not started; later the end
 * stands as decided. Either way nothing that is unfinished is begun, tried again or waited for.
 */
export function stop(
  data: RunData,
  { status, reason, patched, ...by }: EndedBy & { status: TerminalStatus; reason: EndReason; patched: Patched },
): void {
  const last = data.effects.at(-1);
  const hasStarted = last === undefined || last.state === 'performing' || last.attempts > 0;
  if (data.end === null || !hasStarted) return decideEnd(data, status, reason, by);
  if (last !== undefined && !patched('ending-hears')) return;
  cancelEffects(data, reason, () => true);
  if (status === 'EXITED_ON_OUTBOUND' && reason !== 'closed_by_human')
    data.heldBy = { actor: by.actor, at: instant(by.now) };
}

/**
 * What a customer who writes takes back of an end's own effects: what they did not ask for and, once nothing is left but
 * messages that are held back for long, those too, so that the run closes and somebody else hears them.
 * @param of.isHeard the agent is one that listens to them.
 * @param of.patched asked only where a message is held back for a moment: it was taken back before.
 */
export function overtakenInEnding(
  { effects }: RunData,
  { isHeard, patched }: { readonly isHeard: boolean; readonly patched: Patched },
): readonly RunEffect[] {
  const isUnasked = ({ effect }: RunEffect) => effect.kind === 'message.send' && effect.proactive;
  const isNothingBut = (held: (effect: RunEffect) => boolean) =>
    isHeard && effects.every((effect) => isUnasked(effect) || held(effect));
  const mayClose =
    isNothingBut(isHeldBack) || (isNothingBut(isHeldBackMessage) && !patched('ending-finishes-its-words'));
  return mayClose ? effects : effects.filter(isUnasked);
}

/** Meant for an earlier attachment: by its name, or by its time. A time that cannot be read is not taken for an earlier one. */
export function isStale(data: RunData, fact: { readonly attachment?: AttachmentId; readonly at: string }): boolean {
  if (fact.attachment !== undefined) return fact.attachment !== data.attachment;
  return !Number.isNaN(Date.parse(fact.at)) && latestMoment(fact.at) < data.attachedAt;
}
