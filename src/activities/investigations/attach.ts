/** Actions that attach an agent: for a conversation of its own, or to say one thing to one person. */
import { createHash } from 'node:crypto';
import type { ActionAttempt } from '../../desk/desk.ts';
import {
  conversationSubject,
  type AgentKey,
  type AttachmentId,
  type ConversationId,
  type RunRef,
  type Slot,
  type Subject,
} from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Run } from '../../domain/schemas/runs.ts';
import type { Acted, InvestigationIdentity, Undone } from '../../workflows/investigation-types.ts';
import { UnknownAgentError } from '../failures.ts';
import type { AttachedRun, InvestigationDeps } from './deps.ts';

/** Two clocks may differ by this much: the desk's, which says since when an act was tried, and Temporal's. */
const CLOCK_SKEW_MS = 10_000;
/**
 * From the look at what was tried to the attach. A process that was stopped there for longer wakes up to a place that another
 * attempt's run may have had, and left: less than it takes to give an attempt up for dead (10 s).
 */
const LOOK_HOLDS_MS = 5_000;
const NOTIFIER = 'notify' as AgentKey;

/** Whom to attach where. */
export interface Attachment {
  readonly agent: AgentKey;
  readonly subject: Subject;
  readonly config: JsonObject;
  /** Absent: the agent's own. */
  readonly slot?: Slot;
}

/** What is known of an act that is to be done, and since when (ms) that is known. */
export interface Begun {
  readonly before: ActionAttempt;
  readonly lookedAt: number;
}

/**
 * An act that was tried before may have attached it, and the run may be over since: the desk knows. Somebody else's live
 * run in that place is as good: what was wanted is that the agent is there.
 */
export async function attachFor(
  deps: InvestigationDeps,
  { of, action, before, lookedAt: lookedBefore }: Begun & { of: InvestigationIdentity; action: Attachment },
): Promise<Exclude<Acted, { result: 'stale' }>> {
  const { tenant } = of;
  const { subject, config, agent } = action;
  const slot = slotOf(deps, action);
  const lookedAt = before.state === 'trying' ? deps.clock() : lookedBefore;
  if (before.state === 'trying') {
    const run = await deps.desk.runs.get({ tenant, subject, slot });
    if (run !== null && isSince(run, before))
      return { result: 'done', reference: run.id, detail: (await isOurs(deps, run, of)) ? null : ALREADY };
  }
  if (deps.clock() - lookedAt > LOOK_HOLDS_MS) throw new Error('looked too long ago: what was tried is looked at anew');
  const { id, isNew } = await deps.runs.attach({ tenant, subject, slot, agent, config, actor: actorOf(of) });
  // The desk may hear later than Temporal of what an attempt has attached whose answer was lost.
  const isOurOwn =
    isNew || (before.state === 'trying' && (await isAttachedBy(deps, { tenant, subject, slot, id }, of)));
  return { result: 'done', reference: id, detail: isOurOwn ? null : ALREADY };
}

const ALREADY = 'was attached already';

export async function detachFor(
  deps: InvestigationDeps,
  {
    of,
    action,
    reference,
  }: { of: InvestigationIdentity; action: Attachment & { readonly step: string }; reference: string | null },
): Promise<Undone> {
  const tried = await deps.desk.investigations.tryAction({
    key: `${of.id}:${action.step}`,
    tenant: of.tenant,
    investigation: of.id,
  });
  // Not ours to take away.
  if (tried.state === 'done' && tried.detail === ALREADY) return { result: 'nothing_done' };
  const place = { tenant: of.tenant, subject: action.subject, slot: slotOf(deps, action) };
  const known = reference ?? tried.reference ?? (await attachedFor(deps, { of, place, tried }));
  if (known === null) return { result: 'nothing_done' };
  await deps.runs.detach({ ...place, id: known as AttachmentId, actor: actorOf(of) });
  return { result: 'undone' };
}

/** Given up without an answer, and attached all the same? */
async function attachedFor(
  deps: InvestigationDeps,
  { of, place, tried }: { of: InvestigationIdentity; place: RunRef; tried: ActionAttempt },
): Promise<string | null> {
  const run = await deps.desk.runs.get(place);
  return run !== null && isSince(run, tried) && (await isOurs(deps, run, of)) ? run.id : null;
}

function isSince({ attachedAt }: { readonly attachedAt: string }, { since }: ActionAttempt): boolean {
  return Date.parse(attachedAt) >= Date.parse(since) - CLOCK_SKEW_MS;
}

/** From one that has ended nothing can be taken away. */
async function isOurs(
  deps: InvestigationDeps,
  run: RunRef & Pick<Run, 'id' | 'status'>,
  of: InvestigationIdentity,
): Promise<boolean> {
  return run.status !== 'IN_PROGRESS' || isAttachedBy(deps, { ...run, id: run.id as AttachmentId }, of);
}

/** Temporal is asked: in the desk, whoever pauses a run stands in the place of who attached it. */
async function isAttachedBy(deps: InvestigationDeps, run: AttachedRun, of: InvestigationIdentity): Promise<boolean> {
  return (await deps.runs.attacherOf(run)) === actorOf(of);
}

function actorOf({ id }: InvestigationIdentity): string {
  return `investigation/${id}`;
}

/** A slot of its own for each message: two may be on their way to one person. */
export function notifying(
  of: InvestigationIdentity,
  step: string,
  { conversation, text }: { readonly conversation: ConversationId; readonly text: string },
): Attachment {
  const name = createHash('sha256').update(`${of.id}:${step}`).digest('hex').slice(0, 24);
  return {
    agent: NOTIFIER,
    subject: conversationSubject(conversation),
    config: { text },
    slot: `notify-${name}` as Slot,
  };
}

function slotOf(deps: InvestigationDeps, { agent, slot }: Attachment): Slot {
  const known = deps.agents.get(agent);
  if (known === undefined) throw new UnknownAgentError(`no worker here knows the agent ${agent}`);
  return slot ?? known.slot;
}
