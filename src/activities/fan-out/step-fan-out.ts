/** A fan-out's steps: a few runs at a time, evenly, written down before and after. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CancelledFailure, Context } from '@temporalio/activity';
import type { Desk, FanOut, FanOutRef, Recipient, Settled } from '../../desk/desk.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { FanOutActivities, FanOutProgress, Stepped } from '../../workflows/fan-out-types.ts';
import type { Log } from '../../telemetry/logger.ts';
import { alive } from '../heartbeat.ts';
import { reach, tellDetached, type Voice } from './reach.ts';

export interface FanOutDeps {
  readonly desk: Pick<Desk, 'fanOuts' | 'limits'>;
  readonly voice: Voice;
  /** Runs a second, over all fan-outs of the tenant. */
  perSecond(tenant: TenantId): number;
  readonly log: Log;
}

/** So small that a live event waits behind a handful of a topic's signals at most. */
const CHUNK = 10;
/** One step: long enough to keep history short, short enough to show progress. */
const CHUNKS_PER_STEP = 10;
/** After a chunk in which somebody did not answer. */
const NO_ANSWER_PAUSE_MS = 2_000;

export function createFanOutActivities(deps: FanOutDeps): FanOutActivities {
  return {
    stepFanOut: async (ref) => alive(Context.current(), async () => step(deps, ref)),
    async cancelFanOut(ref) {
      await deps.desk.fanOuts.cancel(ref);
    },
  };
}

async function step(deps: FanOutDeps, ref: FanOutRef): Promise<Stepped> {
  const { cancellationSignal, cancellationDetails } = Context.current();
  const pace = paceOf(deps.perSecond(ref.tenant));
  for (let chunk = 0; ; chunk += 1) {
    const taken = await deps.desk.fanOuts.take({ ...ref, limit: pace.chunk });
    if (taken === null) return { progress: null, pauseMs: 0 };
    const { fanOut, recipients } = taken;
    const progress = progressOf(fanOut);
    if (recipients.length === 0 || chunk >= CHUNKS_PER_STEP) return { progress, pauseMs: 0 };
    await turn(deps, { ref, pace, signal: cancellationSignal }).catch((error: unknown) => {
      if (!cancellationSignal.aborted) throw error;
    });
    if (cancellationSignal.aborted) {
      // A worker that leaves: another one goes on. Else somebody cancelled it.
      if (cancellationDetails?.workerShutdown === true) return { progress, pauseMs: 0 };
      throw new CancelledFailure('the fan-out was cancelled');
    }
    const results = await reachAll(deps, { fanOut, recipients, pace });
    if (results.some(({ state }) => state === 'pending')) return { progress, pauseMs: NO_ANSWER_PAUSE_MS };
  }
}

interface Pace {
  readonly chunk: number;
  readonly perSecond: number;
}

function paceOf(perSecond: number): Pace {
  return { chunk: Math.max(1, Math.min(CHUNK, Math.floor(perSecond))), perSecond };
}

/** Waits for the tenant's bucket, which all its fan-outs share, wherever they run. */
async function turn(
  { desk }: FanOutDeps,
  { ref, pace, signal }: { readonly ref: FanOutRef; readonly pace: Pace; readonly signal: AbortSignal },
): Promise<void> {
  const bucket = { key: `fan-out/${ref.tenant}`, perSecond: pace.perSecond / pace.chunk, burst: 1 };
  for (;;) {
    const waitMs = await desk.limits.take(bucket);
    if (waitMs === 0) return;
    await sleep(waitMs, undefined, { signal });
  }
}

/** One after the other at the pace, and not in one gulp: the runs they wake begin apart. */
async function reachAll(
  deps: FanOutDeps,
  { fanOut, recipients, pace }: { fanOut: FanOut; recipients: readonly Recipient[]; pace: Pace },
): Promise<readonly Settled[]> {
  const { tenant, id } = fanOut;
  const turns = await Promise.allSettled(
    recipients.map(async (recipient, n) => {
      await sleep((n * 1_000) / pace.perSecond);
      return reach(deps.voice, { fanOut, recipient, perSecond: pace.perSecond });
    }),
  );
  const results = turns.flatMap((turn) => (turn.status === 'fulfilled' ? [turn.value] : []));
  await deps.desk.fanOuts.settle({ tenant, id, results });
  await Promise.all(
    results.map(async (result) =>
      tellDetached(deps.voice, { tenant, result }).catch((error: unknown) => {
        deps.log.warn({ fanOut: id, problem: String(error) }, 'a detach could not be told yet');
      }),
    ),
  );
  const failed = turns.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return results;
}

function progressOf({ state, total, done, skipped, failed }: FanOut): FanOutProgress {
  return { state, total, done, skipped, failed };
}
