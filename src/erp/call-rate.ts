/** Keeps all processes together below the rate that a tenant's ERP allows. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Around } from './around.ts';
import { ErpError } from './erp-error.ts';

/** As the desk's `limits.take`: 0, or the milliseconds until a token is there. */
export type TakeToken = (bucket: {
  readonly key: string;
  readonly perSecond: number;
  readonly burst: number;
}) => Promise<number>;

/** A tick may wait this long for its turn; longer, and the activity's own retry waits better than a worker's slot. */
const MOST_WAIT_MS = 5_000;

/**
 * Calls of this process go one after the other; a call waits five seconds for its turn, then throws `rate_limited`
 * with the time that those before it need.
 */
export function withinRate({
  key,
  perSecond,
  take,
  mostWaitMs = MOST_WAIT_MS,
}: {
  readonly key: string;
  readonly perSecond: number;
  readonly take: TakeToken;
  readonly mostWaitMs?: number;
}): Around {
  let line: Promise<void> = Promise.resolve();
  let waiting = 0;
  const turn = async (deadline: number, signal: AbortSignal | undefined): Promise<void> => {
    for (;;) {
      if (signal?.aborted === true) throw cancelled(signal.reason);
      if (performance.now() > deadline) throw limited(Math.ceil((1_000 * waiting) / perSecond));
      // One at a time: within any second there are never more than the rate and one.
      const wait = await take({ key, perSecond, burst: 1 });
      if (wait === 0) return;
      if (performance.now() + wait > deadline) throw limited(Math.max(wait, Math.ceil((1_000 * waiting) / perSecond)));
      await sleep(wait, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
    }
  };
  return async ({ signal }, go) => {
    const deadline = performance.now() + mostWaitMs;
    waiting += 1;
    const mine = line.then(async () => turn(deadline, signal));
    line = mine.catch(() => undefined);
    try {
      await mine;
    } finally {
      waiting -= 1;
    }
    return go();
  };
}

function limited(retryAfterMs: number): ErpError {
  return new ErpError({
    failure: 'rate_limited',
    code: 'our_limit',
    message: 'the ERP is asked as often as callsPerSecond allows: nothing was done',
    retryAfterMs,
  });
}

function cancelled(cause: unknown): ErpError {
  return new ErpError({
    failure: 'outage',
    code: 'cancelled',
    message: 'the attempt was cancelled before the call: nothing was done',
    cause,
  });
}
