/** What Temporal's own lists and pages show of a run, besides what it is started with. */
import { patched, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { ATTACHE_NEXT_RUN_AT, ATTACHE_STATUS } from '../temporal/search-attributes.ts';
import type { RunState } from './run-state.ts';
import { detailsOf } from './run-view.ts';

/**
 * Temporal's lists show the due time to the minute: a write to visibility costs as much as a tenth of a wake-up, and an
 * agent that wakes each second would make one each second.
 */
const TO_THE_MINUTE_MS = 60_000;
/** Histories before it publish every change. */
const TO_THE_MINUTE = 'next-run-at-to-the-minute';

export class RunPublication {
  private readonly state: RunState;
  private due: string | null;

  /** @param due as the lists show it already; null: they show none. */
  constructor(state: RunState, due: string | null) {
    this.state = state;
    this.due = due;
  }

  /** One upsert per wake-up at most, and only when the due time moved by more than `exactToMs`. */
  nextRunAt(exactToMs = TO_THE_MINUTE_MS): void {
    const { nextRunAt } = this.state.data;
    setCurrentDetails(detailsOf(this.state));
    if (nextRunAt === this.due) return;
    const movedMs = Math.abs(Date.parse(nextRunAt) - Date.parse(this.due ?? ''));
    if (movedMs < exactToMs && patched(TO_THE_MINUTE)) return;
    this.due = nextRunAt;
    upsertSearchAttributes([{ key: ATTACHE_NEXT_RUN_AT, value: new Date(nextRunAt) }]);
  }

  end(): void {
    const { end } = this.state.data;
    if (end !== null)
      upsertSearchAttributes([
        { key: ATTACHE_STATUS, value: end.status },
        { key: ATTACHE_NEXT_RUN_AT, value: null },
      ]);
    setCurrentDetails(detailsOf(this.state));
  }
}
