/** Attaching where a run has ended and its workflow has not closed yet. */
import { isEnding } from '../domain/statuses.ts';
import type { Attached, AttachOptions, RunClient } from './run-client.ts';

/** How long an attach waits for the run before it to be over. */
const WAIT_MS = 5_000;
/** A server that has not noticed yet is not asked in a tight loop. */
const LOOK_AGAIN_MS = 20;

/** As the client attaches; not attached to one that `isEnding`: it was still at it after 5 s. */
export async function attachAfterEnd(
  runs: Pick<RunClient, 'attach' | 'waitForEnd'>,
  options: AttachOptions,
): Promise<Attached> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const attached = await runs.attach(options);
    if (attached.attached || !isEnding(attached.run)) return attached;
    if (Date.now() >= deadline || !(await runs.waitForEnd(options, deadline - Date.now()))) return attached;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
