/** The send permit: what is asked before a call goes out. Any no, or no answer, and nothing is sent. */
import { conversationOf } from '../domain/ids.ts';
import type { Performed, PerformInput } from '../workflows/activity-types.ts';
import type { ActivityDeps } from './deps.ts';

/** How soon a permit that got no answer is asked for again. */
const ASK_AGAIN_MS = 5_000;

/** Null: the run itself permits it. An answer may take seconds: the desk is asked after it. */
export async function runPermits(deps: ActivityDeps, { run, key }: PerformInput): Promise<Performed | null> {
  try {
    const answer = await deps.askPermit(run.workflowId, { key, attachment: run.attachment });
    if (answer.permitted) return null;
    if (answer.reason === 'paused') return { result: 'parked', reason: 'paused', dueAt: null };
    return { result: 'refused', reason: answer.reason ?? 'not_permitted' };
  } catch {
    return {
      result: 'parked',
      reason: 'permit_unanswered',
      dueAt: new Date(deps.clock() + ASK_AGAIN_MS).toISOString(),
    };
  }
}

/**
 * Null: nothing stored in the desk speaks against it. Asked last, with `sending` written down: a takeover that was accepted
 * by then is seen, and one accepted later meets a call that is in flight and in the ledger.
 */
export async function deskPermits(deps: ActivityDeps, { run, policy }: PerformInput): Promise<Performed | null> {
  const id = conversationOf(run.subject);
  const channel = id === undefined ? null : ((await deps.desk.conversations.get(run.tenant, id))?.channel ?? null);
  const { tenant, subject, slot, attachment, attachedAt, agent } = run;
  const objection = await deps.desk.acts.objection({
    tenant,
    subject,
    slot,
    attachment,
    attachedAt,
    agent,
    channel,
    onHumanMessage: policy.onHumanMessage,
  });
  return objection === null ? null : { result: 'refused', reason: objection };
}
