/** Facts on their way in: stored first, then told to the runs, in order per subject. */
import type { DeliverableEvent, IntakeItem } from '../desk/desk.ts';
import { deliver } from './deliver.ts';
import type { IntakeDeps } from './deps.ts';

export interface AcceptedItem {
  readonly result: 'accepted' | 'duplicate';
}

export interface Intake {
  /**
   * Stores each in order and answers; what is new is delivered after the answer, and by the reconciler should this
   * process die in between. @throws when the desk cannot be written.
   */
  accept(items: readonly IntakeItem[]): Promise<readonly AcceptedItem[]>;
  /** Delivers once more; runs that had it ignore it. */
  redeliver(event: DeliverableEvent): Promise<void>;
  /** Resolves when all that was accepted has been tried. */
  idle(): Promise<void>;
}

/** Well within the time after which the reconciler takes what is undelivered (`reconcile.ts`). */
const FRESH_MS = 1_000;

export function createIntake(deps: IntakeDeps): Intake {
  /** The last delivery under way per subject: the next one waits for it. */
  const lanes = new Map<string, Promise<void>>();

  async function inOrder(event: DeliverableEvent): Promise<void> {
    const lane = `${event.tenant}/${event.subject ?? ''}`;
    const turn = (lanes.get(lane) ?? Promise.resolve()).then(async () => deliver(deps, event));
    lanes.set(lane, turn);
    await turn;
    if (lanes.get(lane) === turn) lanes.delete(lane);
  }

  async function accept(item: IntakeItem): Promise<AcceptedItem> {
    const stored = await deps.desk.intake.store(item);
    if (stored.result === 'duplicate') return { result: 'duplicate' };
    const { event, opened, ownEcho, humanTookOver, optOut } = stored;
    const freshUntilMs = Date.now() + FRESH_MS;
    const nothing = { ownEcho: false, humanTookOver: null, optOut: false };
    if (opened !== null) void inOrder({ ...opened, ...nothing, freshUntilMs });
    void inOrder({ ...event, ownEcho, humanTookOver, optOut, freshUntilMs });
    return { result: 'accepted' };
  }

  return {
    async accept(items) {
      const answers: AcceptedItem[] = [];
      for (const item of items) {
        const answer = await accept(item);
        deps.metrics.eventTaken(answer.result);
        answers.push(answer);
      }
      return answers;
    },
    redeliver: inOrder,
    async idle() {
      while (lanes.size > 0) await Promise.all(lanes.values());
    },
  };
}
