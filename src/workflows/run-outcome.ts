/** The one place where an outcome changes a run. */
import type { WorkflowId } from '../domain/ids.ts';
import { ASKED_BY_AGENT } from '../domain/next-run-why.ts';
import type { Finish, Outcome, Reschedule } from '../domain/outcomes.ts';
import type { Patched } from './run-changes.ts';
import type { RunData } from './run-data.ts';
import { addEffects, cancelEffects, isNewSend, isSend } from './run-effects.ts';
import { decideEnd } from './run-ends.ts';

/** When the run is due next, and in whose words. */
export function plan(data: RunData, nextRunAt: string, why: string): void {
  data.nextRunAt = nextRunAt;
  data.nextRunWhy = why;
}

/** `snoozed`: somebody moved the due time while the agent thought, and that stands. */
export function applyOutcome(
  data: RunData,
  {
    outcome,
    snoozed,
    ...of
  }: { outcome: Outcome; snoozed: boolean; workflowId: WorkflowId; patched: Patched; now: number },
): void {
  data.state = outcome.state;
  if (outcome.kind === 'reschedule') reschedule(data, outcome, snoozed);
  else finish(data, outcome, of.now);
  const sends = outcome.effects.filter(isSend).length;
  const underway = data.effects.filter(isNewSend).length;
  const cap = data.agent?.policy.maxMessages ?? Infinity;
  if (sends > 0 && data.messagesSent + underway + sends > cap) {
    decideEnd(data, 'REMOVED_BY_SYSTEM', 'message_cap', { actor: 'system', comment: `${cap} messages`, now: of.now });
    return;
  }
  addEffects(data, outcome.effects, of);
}

function reschedule(data: RunData, outcome: Reschedule, snoozed: boolean): void {
  const taken = new Set<string>(outcome.cancel);
  cancelEffects(data, 'taken_back', (effect) => taken.has(effect.key) && effect.state !== 'performing');
  if (outcome.nextRunAt !== null && !snoozed) plan(data, outcome.nextRunAt, outcome.why ?? ASKED_BY_AGENT);
}

/** Paused meanwhile: the effects of the end wait like all others. */
function finish(data: RunData, { status, reason, comment, effects }: Finish, now: number): void {
  const { paused } = data;
  decideEnd(data, status, reason, { actor: 'agent', ...(comment === undefined ? {} : { comment }), now });
  if (effects.length > 0) data.paused = paused;
}
