/** A desk's events as a property test knows them, with what became of each. */
import assert from 'node:assert/strict';
import type { EventRef } from '../../src/domain/event-refs.ts';
import type { CaughtUp } from '../../src/workflows/activity-types.ts';
import { QUEUE_LIMIT } from '../../src/workflows/run-data.ts';
import { iso } from './run-parts.ts';

/** The agent wakes for some of these. */
const TYPES = ['message.inbound', 'message.inbound', 'contact.updated', 'record.changed'] as const;

export interface Stored {
  readonly ref: EventRef;
  readonly concernsRuns: boolean;
  signalled: boolean;
  consumed: number;
  unhandled: number;
}

export class DeskModel {
  readonly events: Stored[] = [];
  private readonly byId = new Map<string, Stored>();

  store(more: number, now: number): void {
    const seq = this.events.length + 1;
    const type = TYPES[more % TYPES.length] ?? TYPES[0];
    const optOut = more % 3_001 === 0 ? { optOut: true as const } : {};
    const ref = { id: `e${seq}`, type, time: iso(now), seq, ...optOut };
    const event = { ref, concernsRuns: more % 6 !== 5, signalled: false, consumed: 0, unhandled: 0 };
    this.events.push(event);
    this.byId.set(ref.id, event);
  }

  read(after: number): CaughtUp {
    const limit = QUEUE_LIMIT / 2;
    const page = this.events.filter(({ ref }) => ref.seq > after).slice(0, limit);
    const events = page.filter(({ concernsRuns }) => concernsRuns);
    for (const event of events) event.signalled = true;
    return {
      events: events.map(({ ref }) => ref),
      complete: page.length < limit,
      readTo: page.at(-1)?.ref.seq ?? after,
    };
  }

  get(id: string): Stored {
    const event = this.byId.get(id);
    assert.ok(event, `the run knows an event that never was: ${id}`);
    return event;
  }
}
