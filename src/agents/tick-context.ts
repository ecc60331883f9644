/** What the outcome builders know of the tick that calls them, carried along its asynchronous calls. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { z } from 'zod';

export interface TickContext {
  /** The state schema of the agent that ticks. */
  readonly state: z.ZodType;
  /** The due time the run has, ISO-8601 UTC: past when it is why the run woke, ahead when an event woke it. */
  readonly dueAt: string;
  /** The clock as the tick began, ms since 1970: a due time that passes while the agent thinks may still be kept. */
  readonly begunAt: number;
  /** The clock that due times are held against, ms since 1970: the wall clock, or a rehearsal's. */
  readonly clock: () => number;
  /** The run goes on while humans write (`policy.onHumanMessage` is `ignore`): it may go on after its own hand-off, too. */
  readonly ignoresHumans: boolean;
}

const running = new AsyncLocalStorage<TickContext>();

/** Runs a tick so that what it builds is checked against its own agent. Returns what `tick` returns. */
export function withTickContext<Result>(context: TickContext, tick: () => Result): Result {
  return running.run(context, tick);
}

/** Undefined outside a tick, as in a unit test of an agent. */
export function currentTick(): TickContext | undefined {
  return running.getStore();
}
