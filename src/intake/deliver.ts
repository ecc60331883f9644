/**
 * Brings a stored event to the runs it concerns. Idempotent: the desk remembers whom it told, a run remembers what it
 * was told. Whom it concerns follows from the subject alone: the runs the desk knows to be live there, and the slots
 * that an agent of the registry would have; not found means not attached.
 */
import { isGrpcServiceError } from '@temporalio/client';
import { within } from '../client/rpc.ts';
import { tell } from '../client/tell.ts';
import type { DeliverableEvent, RunRecord } from '../desk/desk.ts';
import { allOver } from '../domain/all-over.ts';
import { isPassing, undeliveredReason } from '../domain/deliveries.ts';
import { concernsRuns, refOf, wakesOn } from '../domain/event-refs.ts';
import { handedOffBy } from '../domain/hand-offs.ts';
import {
  BUSINESS,
  conversationOf,
  isTopic,
  runWorkflowId,
  type AttachmentId,
  type Subject,
  type TopicSubject,
  type WorkflowId,
} from '../domain/ids.ts';
import { latestMoment } from '../domain/told-times.ts';
import { eventArrived, humanTookOver, undelivered, view, type HumanTookOver } from '../workflows/messages.ts';
import { autoAttach, LookedTooLongAgoError, StillClosingError } from './auto-attach.ts';
import type { IntakeDeps } from './deps.ts';
import { createFanOuts } from './fan-outs.ts';

/** For what a run that has just paused says of itself: nobody waits for that. */
const PHASE_DEADLINE_MS = 5_000;

interface Target {
  readonly workflowId: WorkflowId;
  /** Undefined: only guessed from the registry. */
  readonly run: RunRecord | undefined;
}

/** gRPC's code when Temporal answers and will not have this very signal. */
const INVALID_ARGUMENT = 3;

/**
 * Never throws: what cannot be delivered now is tried again. Only what is wrong with the event itself is counted against
 * it: ten rounds of the reconciler are over in half a minute, an outage of Temporal is not.
 */
export async function deliver(deps: IntakeDeps, event: DeliverableEvent): Promise<void> {
  const { desk, log } = deps;
  try {
    const attachments = await tellAll(deps, event);
    await desk.events.markDelivered(event.key, attachments, event.requeues);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    log.warn({ event: event.key, problem }, 'an event could not be delivered');
    if (isNobodysFault(error)) return;
    const status = await desk.events.markFailed(event.key, problem).catch((cause: unknown) => {
      log.error({ event: event.key, problem: String(cause) }, 'a failed delivery could not be written down');
    });
    if (status === 'dead') deps.metrics.eventTaken('dead');
  }
}

/** A topic's event is told by a fan-out, which takes its time; all others here and now. */
async function tellAll(deps: IntakeDeps, event: DeliverableEvent): Promise<readonly AttachmentId[]> {
  if (isOnTopic(event)) await createFanOuts(deps).tell(event);
  else if (isUndelivered(event)) return tellUndelivered(deps, event);
  else if (isForRuns(event)) return tellRuns(deps, event);
  return [];
}

function isOnTopic(event: DeliverableEvent): event is DeliverableEvent & { readonly subject: TopicSubject } {
  return event.subject !== undefined && isTopic(event.subject);
}

/** Temporal is away, refuses service or is about to close the run before, or we were stopped: the event stays stored, for as long as that takes. */
function isNobodysFault(error: unknown): boolean {
  if (error instanceof StillClosingError || error instanceof LookedTooLongAgoError) return true;
  const service = error instanceof Error && !isGrpcServiceError(error) ? error.cause : error;
  return isGrpcServiceError(service) && (service.code as number) !== INVALID_ARGUMENT;
}

/** @returns the attachments that were told. @throws when Temporal or the desk does not answer. */
async function tellRuns(
  deps: IntakeDeps,
  event: DeliverableEvent & { readonly subject: Subject },
): Promise<readonly AttachmentId[]> {
  const targets = await targetsOf(deps, event);
  const told = await allOver(targets.map(async (target) => tellOne(deps, event, target)));
  const stale = targets.filter(({ run }) => run !== undefined && isBefore(event, run));
  if (event.humanTookOver !== null && stale.length > 0 && stale.length === targets.length)
    await deps.desk.events.markStale(event.key);
  if (event.type === 'conversation.assigned' && event.data.to === 'agent') {
    const { tenant, subject, time: at } = event;
    await deps.letGo?.({ tenant, subject, by: event.data.by ?? 'inbox', at });
  }
  const attached = await autoAttach(
    deps,
    event,
    targets.filter((_, index) => told[index]).map(({ workflowId }) => workflowId),
  );
  return [
    ...targets.flatMap(({ run }, index) => (run !== undefined && told[index] ? [run.id as AttachmentId] : [])),
    ...attached,
  ];
}

async function targetsOf(
  { desk, agents }: IntakeDeps,
  event: DeliverableEvent & { readonly subject: Subject },
): Promise<readonly Target[]> {
  const { tenant, subject } = event;
  const live = [...(await desk.runs.liveOn(tenant, subject)), ...(await elsewhere(desk, event))];
  const known = live.map((run) => ({ workflowId: run.workflowId as WorkflowId, run }));
  const kind = subject === BUSINESS ? 'business' : 'conversation';
  const guessed = agents
    .list()
    .filter((agent) => agent.attachesTo === kind && (event.humanTookOver !== null || wakesOn(agent.wakeOn, event.type)))
    .map((agent) => runWorkflowId({ tenant, subject, slot: agent.slot }))
    .filter((id) => !known.some(({ workflowId }) => workflowId === id));
  const targets = [...known, ...[...new Set(guessed)].map((workflowId) => ({ workflowId, run: undefined }))];
  const whoHandedOff = handedOffBy(event)?.workflowId;
  return targets.filter(({ workflowId }) => workflowId !== whoHandedOff);
}

/** A person opts out of everything: the runs on their other conversations end too, but for those attached since. */
async function elsewhere(
  desk: IntakeDeps['desk'],
  event: DeliverableEvent & { readonly subject: Subject },
): Promise<readonly RunRecord[]> {
  const conversation = event.optOut ? conversationOf(event.subject) : undefined;
  if (conversation === undefined) return [];
  const runs = await desk.runs.liveBesides(event.tenant, conversation);
  return runs.filter((run) => !isBefore(event, run));
}

/** False: nobody is attached there (any more). */
async function tellOne(deps: IntakeDeps, event: DeliverableEvent, { workflowId, run }: Target): Promise<boolean> {
  const { desk, client } = deps;
  const { humanTookOver: takeover } = event;
  // A run knows the last 1,000 it heard of; the desk knows the rest, which a fresh event cannot be among.
  const isKnown = run !== undefined && Date.now() > (event.freshUntilMs ?? 0);
  if (isKnown && (await desk.events.wasDelivered(event.key, run.id as AttachmentId))) return true;
  const isThere =
    takeover === null
      ? await tell(client, workflowId, eventArrived, refOf(event))
      : await tell(client, workflowId, humanTookOver, takeoverOf(event, takeover));
  if (isThere && takeover !== null && run?.policy?.onHumanMessage === 'pause') await recordPhase(deps, run);
  return isThere;
}

/** It has paused, and its row says so only if somebody writes it there. What the run itself says counts: somebody may have resumed it. */
async function recordPhase({ desk, client, log }: IntakeDeps, { id, workflowId }: RunRecord): Promise<void> {
  try {
    const handle = client.workflow.getHandle(workflowId);
    const shown = await within(client, PHASE_DEADLINE_MS, async () => handle.query(view));
    if (shown.id === id && shown.phase !== null)
      await desk.runs.recordPhase({ attachment: id as AttachmentId, phase: shown.phase });
  } catch (error) {
    log.warn({ run: workflowId, problem: String(error) }, 'lists may show a run that paused for a human as asleep');
  }
}

function takeoverOf(
  event: DeliverableEvent,
  { cause, actor }: NonNullable<DeliverableEvent['humanTookOver']>,
): HumanTookOver {
  const comment = event.type === 'takeover' ? event.data.reason : undefined;
  return { cause, actor, at: event.time, ...(comment === undefined ? {} : { comment }) };
}

function isForRuns(event: DeliverableEvent): event is DeliverableEvent & { readonly subject: Subject } {
  return !event.ownEcho && event.subject !== undefined && (event.humanTookOver !== null || concernsRuns(event));
}

type FailedStatus = Extract<DeliverableEvent, { readonly type: 'message.status' }> & { readonly subject: Subject };

function isUndelivered(event: DeliverableEvent): event is FailedStatus {
  return event.type === 'message.status' && event.data.status === 'failed' && event.subject !== undefined;
}

/** Whoever sent what did not arrive is told, and nobody else. */
async function tellUndelivered({ desk, client }: IntakeDeps, event: FailedStatus): Promise<readonly AttachmentId[]> {
  const { tenant, subject, key: id, seq } = event;
  const { providerId, reference, error } = event.data;
  const send = await desk.ledger.undelivered({ tenant, subject, providerId, reference });
  const run = (await desk.runs.liveOn(tenant, subject)).find((live) => live.id === send?.attachment);
  if (send === null || run === undefined) return [];
  const { key, attachment, effect, sentAt } = send;
  const told = {
    id,
    seq,
    attachment,
    key,
    reason: undeliveredReason(error),
    unreachable: error?.failure === 'unreachable',
    ...(isPassing(error) ? { again: { effect, sentAt } } : {}),
  };
  return (await tell(client, run.workflowId as WorkflowId, undelivered, told)) ? [attachment] : [];
}

function isBefore(event: DeliverableEvent, run: RunRecord): boolean {
  return latestMoment(event.time) < run.attachedAt;
}
