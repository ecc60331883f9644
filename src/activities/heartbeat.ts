/** Life signs of a running attempt, and what earlier attempts of the same activity left behind. */
import type { Context } from '@temporalio/activity';

/** A cancelled attempt notices within this, a dead one within the heartbeat time-out. */
const INTERVAL_MS = 1_000;

interface Trace {
  readonly attempt: number;
  /** Attempts before this one that died without a word, in a row. */
  readonly crashes: number;
  /** This attempt has said itself what became of it. */
  readonly reported: boolean;
}

/**
 * Heartbeats while `work` runs. The details tell the next attempt how this one ended: one that reports a failure says
 * so last; one that dies says nothing more, and the next attempt counts it.
 * @param work is told how many attempts in a row died before this one.
 */
export async function alive<Result>(context: Context, work: (crashes: number) => Promise<Result>): Promise<Result> {
  const attempt = context.info.attempt;
  const crashes = crashesBefore(attempt, context.info.heartbeatDetails as Trace | undefined);
  const beat = (reported: boolean) => context.heartbeat({ attempt, crashes, reported } satisfies Trace);
  const timer = setInterval(() => beat(false), INTERVAL_MS);
  try {
    return await work(crashes);
  } catch (error) {
    beat(true);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** Attempts after the last trace died before their first heartbeat; so did the traced one, unless it reported. */
export function crashesBefore(attempt: number, last: Trace | undefined): number {
  if (last === undefined) return attempt - 1;
  return last.reported ? attempt - 1 - last.attempt : last.crashes + attempt - last.attempt;
}
