/** Why a run wakes when it does, as the API shows it. */
import { z } from 'zod';
import { Instant, JsonValue } from './values.ts';

/** A rule of contact that moved the time of a message: from then until then. */
export const Move = z.object({ rule: z.string(), from: Instant, until: Instant });
export type Move = z.infer<typeof Move>;

export const WakeStep = z.object({
  /**
   * Of the wake-up: `first_run`, `jitter`, `asked` (by the agent, or at the attach), `snooze`, `retry`, `outage`, `wake`,
   * `debounce`, `paused`, `held_up` (no worker can begin it; `message` says why). Of an effect: what holds it, as its `reason`.
   */
  rule: z.string(),
  /** Null: not known. */
  from: Instant.nullable(),
  /** Null: not known, or until somebody acts. */
  until: Instant.nullable(),
  /** Key of the effect that is held back; null: the step is of the wake-up itself. */
  effect: z.string().nullable(),
  params: z.record(z.string(), JsonValue),
});
export type WakeStep = z.infer<typeof WakeStep>;
