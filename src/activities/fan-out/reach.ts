/** One run's turn in a fan-out: told of the event, or asked to act. What it answers is data; only Temporal's absence is an error. */
import {
  AttachmentMismatchError,
  EndedError,
  InvalidInputError,
  NotAttachedError,
  NoWorkerError,
  type RunClient,
} from '../../client.ts';
import type { FanOut, Recipient, Settled } from '../../desk/desk.ts';
import { ms } from '../../domain/durations.ts';
import type { EventRef } from '../../domain/event-refs.ts';
import type { BulkTask } from '../../domain/fan-out.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { Run } from '../../domain/schemas/runs.ts';

/** How runs are spoken to. */
export interface Voice extends Pick<RunClient, 'pause' | 'resume' | 'snooze' | 'wakeNow' | 'detach'> {
  /** False: nothing runs there (any more). @throws when Temporal does not answer. */
  tell(recipient: Recipient, event: EventRef): Promise<boolean>;
}

/** Nobody answered so often: the receipt says so, and the fan-out goes on without it. */
const ATTEMPTS = 5;
/** Resumed runs that are overdue wait up to this long: a fleet that is let go at once begins apart. */
const MAX_JITTER_MS = 60_000;

/** Nothing is snoozed into the past: one that would be wakes so soon. */
const SOON_MS = 1_000;

export interface Turn {
  readonly fanOut: FanOut;
  readonly recipient: Recipient;
  readonly perSecond: number;
}

/** @throws when Temporal does not answer: then this turn is taken again, and does nothing twice. */
export async function reach(voice: Voice, turn: Turn): Promise<Settled> {
  const { recipient, fanOut } = turn;
  const { task } = fanOut;
  if (task.kind === 'topic') {
    const isTold = await voice.tell(recipient, { ...task.event, attachment: recipient.attachment });
    return isTold ? { recipient, state: 'done' } : { recipient, state: 'skipped', reason: 'ended' };
  }
  const { action: act, actor, comment } = task;
  const accepted = { act, actor, comment, at: new Date().toISOString() };
  // The desk accepts a detach for the run: from then on nothing is sent, whether or not it has heard.
  if (act === 'detach') return { recipient, state: 'done', accepted };
  try {
    const { phase, nextRunAt, nextRunWhy } = await ask(voice, turn, task);
    return {
      recipient,
      state: 'done',
      accepted: { ...accepted, run: { phase: phase ?? 'ending', nextRunAt, nextRunWhy } },
    };
  } catch (error) {
    return { recipient, ...refusal(error, recipient) };
  }
}

/** After the desk has accepted it. What is not heard now, the reconciler says again. */
export async function tellDetached(
  voice: Voice,
  { tenant, result }: { readonly tenant: TenantId; readonly result: Settled },
): Promise<void> {
  if (result.state !== 'done' || result.accepted?.act !== 'detach') return;
  const { recipient, accepted } = result;
  const { actor, comment, at } = accepted;
  const { subject, slot, attachment } = recipient;
  await voice.detach({ tenant, subject, slot }, { actor, comment: comment ?? undefined, attachment, at });
}

async function ask(voice: Voice, { fanOut, recipient, perSecond }: Turn, task: BulkTask): Promise<Run> {
  const { subject, slot, attachment } = recipient;
  const run = { tenant: fanOut.tenant, subject, slot };
  const { actor, comment, until } = task;
  const requestId = `fan-out/${fanOut.id}/${attachment}`;
  const options = { actor, comment: comment ?? undefined, attachment, requestId };
  switch (task.action) {
    case 'pause':
      return voice.pause(run, { ...options, until });
    case 'resume': {
      const jitterMs = Math.min(MAX_JITTER_MS, Math.round((fanOut.total * 1_000) / perSecond));
      return voice.resume(run, { ...options, jitterMs });
    }
    case 'snooze': {
      const later = until === undefined ? Date.parse(fanOut.createdAt) + ms(task.for ?? '0s') : Date.parse(until);
      // Its turn may come when that has passed.
      const ahead = Math.max(later, Date.now() + SOON_MS);
      return voice.snooze(run, { ...options, until: new Date(ahead).toISOString() });
    }
    case 'wake':
      return voice.wakeNow(run, options);
    case 'detach':
      throw new Error('a detach is not asked for');
  }
}

type Refusal = { readonly state: 'skipped' | 'failed'; readonly reason: string } | { readonly state: 'pending' };

/** @throws what is nobody's answer. */
function refusal(error: unknown, { attempts }: Recipient): Refusal {
  if (error instanceof EndedError || error instanceof NotAttachedError || error instanceof AttachmentMismatchError)
    return { state: 'skipped', reason: 'ended' };
  if (error instanceof InvalidInputError) return { state: 'failed', reason: 'invalid' };
  if (error instanceof NoWorkerError)
    return attempts + 1 < ATTEMPTS ? { state: 'pending' } : { state: 'failed', reason: 'no_answer' };
  throw error;
}
