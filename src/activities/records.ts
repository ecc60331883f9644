/** What a run reads from and writes to the desk besides its ticks and effects. */
import { concernsRuns, refOf } from '../domain/event-refs.ts';
import { conversationOf, isTopic } from '../domain/ids.ts';
import type { StoredEvent } from '../domain/schemas/events.ts';
import type {
  CatchUpInput,
  CaughtUp,
  RecordEndInput,
  RunIdentity,
  TakeBackInput,
} from '../workflows/activity-types.ts';
import type { TakenBack } from '../workflows/run-data.ts';
import type { ActivityDeps } from './deps.ts';
import { claimOf } from './claim.ts';

/** In the ledger, the attempt of what was given up before its first; theirs count from `0.1`. */
const NEVER_TRIED = '0.0';

/** Events that the run's queue had no room for, in order of storing. */
export async function catchUp(deps: ActivityDeps, { run, afterSeq, limit }: CatchUpInput): Promise<CaughtUp> {
  const { tenant, subject, attachment } = run;
  const events = await deps.desk.events.after({ tenant, subject, attachment, seq: afterSeq, limit });
  const readTo = events.at(-1)?.seq ?? afterSeq;
  return { events: events.filter(concernsRuns).map(refOf), complete: events.length < limit, readTo };
}

/**
 * Before the run's next tick, which may be weeks away: nobody is to be shown a message that waits and will never go out. And
 * what was asked of it over Temporal alone, once.
 */
export async function takeBack(deps: ActivityDeps, { run, cancelled, asked = [] }: TakeBackInput): Promise<void> {
  for (const taken of cancelled) await recordTakenBack(deps, run, taken);
  const { tenant, subject, slot, attachment } = run;
  if (asked.length > 0)
    await deps.desk.acts.recordAsked(asked.map((act) => ({ ...act, tenant, subject, slot, attachment })));
}

/** The end, once; then what the run left unconsumed is routed again. */
export async function recordEnd(
  deps: ActivityDeps,
  { run, view, unhandled, cancelled, asked = [], heldBy }: RecordEndInput,
): Promise<void> {
  await takeBack(deps, { run, cancelled, asked });
  const { config, state, policy, ...summary } = view;
  const record = { ...summary, config: config as Record<string, never>, state: state as Record<string, never>, policy };
  // First: the end lets go of the conversation unless a human has come in.
  const conversation = conversationOf(run.subject);
  if (heldBy !== undefined && conversation !== undefined)
    await deps.desk.conversations.setOwner({
      tenant: run.tenant,
      id: conversation,
      owner: 'human',
      by: heldBy.actor,
      at: heldBy.at,
    });
  const isFirst = await deps.desk.runs.recordEnd({ run: record, unhandled: unhandled.map(({ id }) => id) });
  const { status, reason } = view;
  if (isFirst && status !== 'IN_PROGRESS' && reason !== null)
    deps.metrics.runEnded({ agent: run.agent, status, reason });
  const left = await deps.desk.events.load(unhandled.map(({ id }) => id));
  const closedAt = reason === 'closed_by_human' ? await closingOf(deps, run) : null;
  for (const event of left) if (isForOthers(event, closedAt)) await deps.desk.events.requeue(run.tenant, event.key);
}

async function closingOf({ desk }: ActivityDeps, { tenant, subject }: RunIdentity): Promise<string | null> {
  const conversation = conversationOf(subject);
  const known = conversation === undefined ? null : await desk.conversations.get(tenant, conversation);
  return known?.closedAt ?? known?.previouslyClosedAt ?? null;
}

/** What a topic told was told to everybody else as well, and a human who closes a conversation has done with what was said before. */
function isForOthers({ subject, time }: StoredEvent, closedAt: string | null): boolean {
  if (subject !== undefined && isTopic(subject)) return false;
  return closedAt === null || Date.parse(time) > Date.parse(closedAt);
}

/** What the run no longer does: it is unwanted, or could not be done in time, which is told also of what was never tried. */
export async function recordTakenBack(
  { desk }: Pick<ActivityDeps, 'desk'>,
  run: RunIdentity,
  { key, reason, failed, effect }: TakenBack,
): Promise<void> {
  if (effect !== undefined) await desk.ledger.claim(claimOf(run, { key, effect, attempt: NEVER_TRIED }));
  await desk.ledger.settle({ key, state: failed === true ? 'given_up' : 'cancelled', reason });
}
