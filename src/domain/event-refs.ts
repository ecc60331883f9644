import type { AttachmentId } from './ids.ts';

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
  /** Only this attachment is meant, as with a topic's event; absent: whichever is live. */
  readonly attachment?: AttachmentId;
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

/** A stored event as a signal carries it. */
export function refOf(event: {
  readonly key: string;
  readonly type: string;
  readonly time: string;
  readonly seq: number;
  readonly optOut?: boolean;
}): EventRef {
  const { key, type, time, seq } = event;
  return { id: key, type, time, seq, ...(event.optOut === true ? { optOut: true as const } : {}) };
}

/** What happens to our own messages is the desk's affair, and a human's message is told as a takeover. */
const NOT_FOR_RUNS: ReadonlySet<string> = new Set(['message.status', 'message.outbound', 'takeover']);

/** Is this told to runs as an event? */
export function concernsRuns(event: { readonly type: string }): boolean {
  return !NOT_FOR_RUNS.has(event.type);
}
