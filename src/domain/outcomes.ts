/** What one wake-up decided: when to wake next, or how the run ends; plus new state and effects. Nothing else. */
import type { EffectKey } from './ids.ts';
import type { JsonObject } from './json.ts';
import type { Effect } from './schemas/effects.ts';
import type { EndReason, TerminalStatus } from './statuses.ts';

/** Nearest a next run may be when the outcome is built: below it, an agent spins. */
export const MIN_INTERVAL_MS = 1_000;
/** Furthest a next run may be: a year and a month; beyond it, a wrong unit is likelier than a plan. */
export const MAX_INTERVAL_MS = 400 * 86_400_000;
/** Bound of one outcome's state and of its effects, each as JSON: what travels through history stays small. */
export const MAX_STATE_BYTES = 16 * 1024;
/** Effects one outcome may carry. */
export const MAX_EFFECTS = 20;

export interface Reschedule {
  readonly kind: 'reschedule';
  /** ISO-8601 UTC; null keeps the due time the run already has. */
  readonly nextRunAt: string | null;
  /** The agent's own words for why then; shown to people. */
  readonly why?: string;
  readonly state: JsonObject;
  readonly effects: readonly Effect[];
  /** Parked effects of earlier ticks that this outcome takes back. */
  readonly cancel: readonly EffectKey[];
}

export interface Finish {
  readonly kind: 'finish';
  readonly status: TerminalStatus;
  readonly reason: EndReason;
  readonly comment?: string;
  readonly state: JsonObject;
  readonly effects: readonly Effect[];
}

export type Outcome = Reschedule | Finish;
