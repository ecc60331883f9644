/** What may be done to many runs at once, and how the console does it to those that were picked by hand. */
import type { Server } from '../api/server.ts';
import { Refused } from '../api/ask.ts';
import type { ReceiptLine, RunRow } from '../api/shapes.ts';

export const BULK_ACTS = ['pause', 'resume', 'snooze', 'wake', 'detach'] as const;
export type BulkAct = (typeof BULK_ACTS)[number];

/** What each of them is asked. */
export interface Asking {
  readonly act: BulkAct;
  /** Empty: none was given. */
  readonly reason: string;
  /** ISO-8601; of a snooze always, of a pause perhaps. */
  readonly until?: string | undefined;
}

/** Of the API's acts, single and bulk. */
export function bodyOf({ reason, until }: Asking): { readonly reason?: string; readonly until?: string } {
  return { ...(reason === '' ? {} : { reason }), ...(until === undefined ? {} : { until }) };
}

/** At once, so that a hundred take seconds and the server still answers others. */
const AT_ONCE = 4;

/** One after the other, a few at a time; each answer is told as it comes. An act on a run that has ended changes nothing. */
export async function actOnEach(
  server: Server,
  { runs, ...asking }: Asking & { readonly runs: readonly RunRow[] },
  tell: (line: ReceiptLine) => void,
): Promise<void> {
  const waiting = [...runs];
  const work = async () => {
    for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) tell(await actOn(server, run, asking));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function actOn(server: Server, run: RunRow, asking: Asking): Promise<ReceiptLine> {
  const { subject, slot, id } = run;
  if (run.status !== 'IN_PROGRESS') return { subject, slot, state: 'skipped', reason: run.reason };
  try {
    await server.act(run, asking.act, { id, ...bodyOf(asking) });
    return { subject, slot, state: 'done', reason: null };
  } catch (error) {
    return { subject, slot, state: 'failed', reason: error instanceof Refused ? error.problem.detail : String(error) };
  }
}
