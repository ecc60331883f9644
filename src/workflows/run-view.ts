/** A run as it shows itself: to the `view` query, to the desk at its end, and in Temporal Web. */
import { runWorkflowId } from '../domain/ids.ts';
import type { Run } from '../domain/schemas/runs.ts';
import type { Phase } from '../domain/statuses.ts';
import type { AgentRunInput } from './agent-run-input.ts';
import { pendingEffects } from './run-effects.ts';
import type { RunState } from './run-state.ts';

export function viewOf(run: RunState, { tenant, subject, slot, attach }: AgentRunInput): Run {
  const { data } = run;
  const over = !run.isLive();
  return {
    id: data.attachment,
    tenant,
    subject,
    slot,
    agent: attach.agent as Run['agent'],
    agentVersion: data.agent?.version ?? null,
    status: over && data.end !== null ? data.end.status : 'IN_PROGRESS',
    reason: over && data.end !== null ? data.end.reason : null,
    phase: over ? null : phaseOf(run),
    actor: data.end?.actor ?? data.paused?.actor ?? attach.actor,
    comment: (data.end ?? data.paused ?? attach).comment ?? null,
    attachedAt: data.attachedAt,
    endedAt: over && data.end !== null ? data.end.at : null,
    nextRunAt: data.end === null ? data.nextRunAt : null,
    nextRunWhy: data.end === null ? data.nextRunWhy : null,
    ticks: data.ticks,
    failures: data.failures,
    workflowId: runWorkflowId({ tenant, subject, slot }),
    config: (data.agent?.config ?? attach.config ?? {}) as Run['config'],
    state: data.state,
    policy: data.agent?.policy ?? null,
    pendingEffects: pendingEffects(data),
    pausedUntil: data.paused?.until ?? null,
    queued: data.queue.length,
  };
}

/** Markdown for Temporal Web: what it waits for and why, without personal data. */
export function detailsOf(run: RunState): string {
  const { data } = run;
  if (data.end !== null) return `**${data.end.status}** (${data.end.reason}) by ${data.end.actor}, ${data.end.at}`;
  const lines = [`**${phaseOf(run)}**`, `next run ${data.nextRunAt}: ${data.nextRunWhy}`];
  if (data.paused !== null)
    lines.push(`paused by ${data.paused.actor}${data.paused.until === null ? '' : ` until ${data.paused.until}`}`);
  for (const effect of data.effects)
    lines.push(
      `- ${effect.effect.kind} ${effect.state}${effect.reason === null ? '' : `: ${effect.reason}, ${effect.dueAt ?? ''}`}`,
    );
  if (data.queue.length > 0) lines.push(`${data.queue.length} events queued`);
  if (data.failures > 0) lines.push(`${data.failures} failed wake-ups in a row`);
  return lines.join('\n\n');
}

/** Temporal takes 400 bytes for a timer's summary; a character takes six at most, as escaped JSON. */
const SUMMARY_LIMIT = 60;

/** What the timer of a run that sleeps is for. */
export function summaryOf({ data }: RunState): string {
  if (data.paused !== null) return 'paused';
  if (data.burst !== null) return 'burst';
  return `next run: ${data.nextRunWhy}`.slice(0, SUMMARY_LIMIT);
}

function phaseOf(run: RunState): Phase {
  if (run.data.end !== null) return 'ending';
  if (run.running?.what === 'tick') return 'thinking';
  if (run.running?.what === 'effect') return 'sending';
  if (run.data.paused !== null) return 'paused';
  return run.data.burst === null ? 'asleep' : 'debouncing';
}
