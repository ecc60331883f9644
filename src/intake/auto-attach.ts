/** The configuration's rules: an event starts a run, in one call with it, where nobody holds the conversation. */
import { within } from '../client/rpc.ts';
import type { ConversationRecord, DeliverableEvent, RunRecord } from '../desk/desk.ts';
import { concernsRuns, refOf } from '../domain/event-refs.ts';
import {
  conversationOf,
  runWorkflowId,
  type AttachmentId,
  type RunRef,
  type Subject,
  type WorkflowId,
} from '../domain/ids.ts';
import { startAttributes, startSummary } from '../temporal/search-attributes.ts';
import { TASK_QUEUE } from '../temporal/task-queues.ts';
import type { AgentRunInput } from '../workflows/agent-run-input.ts';
import { AGENT_RUN, eventArrived } from '../workflows/messages.ts';
import type { AutoAttachRule, IntakeDeps } from './deps.ts';

/** As long as a busy Temporal may take: one that is given up is delivered again, by the reconciler. */
const START_DEADLINE_MS = 10_000;

/**
 * From the look at the runs before to the start. A process that was stopped there for longer wakes up to a place that a run
 * started by another server's delivery of this event may have had, and left: what is undelivered is theirs after 3 s.
 */
const LOOK_HOLDS_MS = 2_000;

/** An earlier run of this name has ended and its workflow is about to close: the event is delivered again in a moment. */
export class StillClosingError extends Error {
  override readonly name = 'StillClosingError';
}

/** What was seen before the start is too old to start by: the event is delivered again. */
export class LookedTooLongAgoError extends Error {
  override readonly name = 'LookedTooLongAgoError';
}

/**
 * @param told workflow ids of the runs that have heard of the event already.
 * @returns what was attached, or had been attached meanwhile and now has the event.
 */
export async function autoAttach(
  deps: IntakeDeps,
  event: DeliverableEvent & { readonly subject: Subject },
  told: readonly WorkflowId[],
): Promise<readonly AttachmentId[]> {
  const isGiven = event.type === 'conversation.assigned' && event.data.to === 'agent';
  const rules = deps
    .autoAttach(event.tenant)
    .filter(({ on }) => on === event.type || (isGiven && on === 'conversation.opened'));
  if (rules.length === 0 || event.optOut || !concernsRuns(event)) return [];
  const conversation = await conversationOn(deps, event);
  if (!isFree(conversation)) return [];
  const attached: AttachmentId[] = [];
  for (const rule of rules) {
    const agent = deps.agents.get(rule.agent);
    if (agent === undefined) continue;
    const ref = { tenant: event.tenant, subject: event.subject, slot: agent.slot };
    if (told.includes(runWorkflowId(ref))) continue;
    const lookedAt = Date.now();
    const latest = await deps.desk.runs.get(ref);
    // Given to an agent for the first time: people had it when it was opened. One that was there comes back by hand-back alone.
    if (rule.on !== event.type && latest !== null) continue;
    if (latest !== null && isOver(latest, event, conversation)) continue;
    if (latest !== null && (await deps.desk.events.wasConsumed(event.key, ref))) continue;
    if (latest !== null && (await isClosing(deps, latest)))
      throw new StillClosingError(`${latest.workflowId} is closing`);
    if (Date.now() - lookedAt > LOOK_HOLDS_MS) throw new LookedTooLongAgoError(`${ref.slot} on ${ref.subject}`);
    const since = [event.time, conversation?.ownerSince ?? '', latest?.endedAt ?? ''].reduce(later);
    attached.push(await startWithEvent(deps, { ref, rule, event, since }));
  }
  return attached;
}

async function conversationOn(
  { desk }: IntakeDeps,
  { tenant, subject }: { tenant: DeliverableEvent['tenant']; subject: Subject },
): Promise<ConversationRecord | null> {
  const id = conversationOf(subject);
  return id === undefined ? null : desk.conversations.get(tenant, id);
}

/** Nobody holds it, it is open, and the person has not asked for silence. Prepare reads the owner again. */
function isFree(conversation: ConversationRecord | null): boolean {
  if (conversation === null) return true;
  const { owner, closedAt, contact } = conversation;
  return owner === 'none' && closedAt === null && contact?.optedOutAt == null;
}

/**
 * Has the latest run of this name settled the matter? What a person or the system removed, no rule brings back before
 * the conversation is opened anew; and an event that a run left behind attaches another one only after an end that the
 * agent chose itself. Without this, a detach would be undone by the very event that had attached.
 */
function isOver(latest: RunRecord, event: DeliverableEvent, conversation: ConversationRecord | null): boolean {
  if (latest.endedAt === null) return false;
  // Stored since, too: the conversation may have been opened by something newer than what is told here.
  const openedAnew =
    event.storedAt > latest.endedAt &&
    (event.type === 'conversation.opened' ? event.time : (conversation?.openedAt ?? '')) > latest.endedAt;
  if (latest.status === 'REMOVED_BY_USER' || latest.status === 'REMOVED_BY_SYSTEM') return !openedAnew;
  const chosen = latest.status === 'COMPLETED' || latest.reason === 'customer_replied';
  return !chosen && event.storedAt <= latest.endedAt;
}

async function isClosing({ client }: IntakeDeps, latest: RunRecord): Promise<boolean> {
  if (latest.endedAt === null) return false;
  const described = await client.workflow
    .getHandle(latest.workflowId)
    .describe()
    .catch(() => undefined);
  return described?.status.name === 'RUNNING' && described.raw.workflowExecutionInfo?.firstRunId === latest.id;
}

function later(one: string, other: string): string {
  return one > other ? one : other;
}

/**
 * @param since the run counts as attached when the event happened that attaches it, and not when we came to hear of it: a
 * human who came in between has the conversation.
 */
async function startWithEvent(
  { client }: IntakeDeps,
  { ref, rule, event, since }: { ref: RunRef; rule: AutoAttachRule; event: DeliverableEvent; since: string },
): Promise<AttachmentId> {
  const now = new Date().toISOString();
  const attachedAt = since < now ? since : now;
  const { agent, config = {} } = rule;
  const input: AgentRunInput = { v: 1, ...ref, attach: { agent, config, attachedAt, origin: 'rule', actor: 'rule' } };
  const handle = await within(client, START_DEADLINE_MS, async () =>
    client.workflow.signalWithStart(AGENT_RUN, {
      workflowId: runWorkflowId(ref),
      taskQueue: TASK_QUEUE,
      args: [input],
      signal: eventArrived,
      signalArgs: [refOf(event)],
      typedSearchAttributes: startAttributes({ ...ref, agent, nextRunAt: now }),
      priority: { fairnessKey: ref.tenant },
      staticSummary: startSummary({ ...ref, agent }),
    }),
  );
  return handle.signaledRunId as AttachmentId;
}
