/** How a run hears of an event: by reference only, since the data stays in the desk. */
export interface EventRef {
  /** The desk's key of the event. */
  readonly id: string;
  readonly type: string;
  /** When it happened at the source, ISO-8601 UTC. */
  readonly time: string;
  /** Order of storing in the desk: where to read on from when a run's queue overflowed. */
  readonly seq: number;
  /** The whole message was an opt-out word: ends the run at once, even a paused one. */
  readonly optOut?: true;
}

/** Types that mean a customer said something: they debounce, and they overtake a draft. */
export function isFromCustomer(type: string): boolean {
  return type === 'message.inbound';
}

/** Does `wakeOn` name this type? `custom.*` stands for all custom types. */
export function wakesOn(wakeOn: readonly string[], type: string): boolean {
  return wakeOn.some(
    (pattern) => pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))),
  );
}
