/** What the latency of an event is measured on: each engine is told of an event and says when the work on it began. */
export interface Engine {
  readonly name: string;
  /** The `n`th event, to one of the sleepers in turn; resolves when its sender may forget it. */
  send(n: number): Promise<void>;
  /** When work on each of these events began, by {@link now}; waits for those that have not. */
  begun(events: readonly number[]): Promise<ReadonlyMap<number, number>>;
  close(): Promise<void>;
}

export const SLEEPERS = 50;

/** ms since 1970 with fractions: one clock for all processes of this machine. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
