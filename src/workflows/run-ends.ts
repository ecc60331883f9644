/** How a run comes to its end: decided once, by whoever is first. */
import type { AttachmentId } from '../domain/ids.ts';
import { latestMoment } from '../domain/told-times.ts';
import type { EndReason, TerminalStatus } from '../domain/statuses.ts';
import { instant, type RunData } from './run-data.ts';
import { cancelEffects } from './run-effects.ts';

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

/** A person's end: also replaces one the agent decided, as long as the last of its effects has not started. */
export function interrupt(data: RunData, status: TerminalStatus, reason: EndReason, by: EndedBy): void {
  const last = data.effects.at(-1);
  if (data.end !== null && (last === undefined || last.state === 'performing' || last.attempts > 0)) return;
  decideEnd(data, status, reason, by);
}

/** Meant for an earlier attachment: by its name, or by its time. */
export function isStale(data: RunData, fact: { readonly attachment?: AttachmentId; readonly at: string }): boolean {
  if (fact.attachment !== undefined) return fact.attachment !== data.attachment;
  return latestMoment(fact.at) < data.attachedAt;
}
