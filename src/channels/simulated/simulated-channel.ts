/**
 * A channel in this very process: whoever it writes to reads the desk's transcript. The provider's id follows from the
 * reference, so sending twice is as sending once, in any process and after any restart.
 */
import type { Channel, OutgoingMessage, SendReceipt, SentLookup } from '../channel.ts';
import { ChannelError } from '../channel-error.ts';
import { SIMULATED_KEY } from './config.ts';

/** No provider bounds it; this keeps a runaway agent from filling a laptop's disk. */
const SENDS_PER_SECOND = 200;

export interface SimulatedChannel extends Channel {
  /** What was accepted, in order, each reference once. Lives as long as the process. */
  readonly accepted: readonly OutgoingMessage[];
}

/** `onSend` sees each message before it counts as accepted; it may wait, and what it throws the caller of `send` gets. */
export function createSimulatedChannel({
  onSend,
}: { readonly onSend?: (message: OutgoingMessage) => Promise<void> | void } = {}): SimulatedChannel {
  const accepted = new Map<string, OutgoingMessage>();
  return {
    kind: 'simulated',
    key: SIMULATED_KEY,
    hasServiceWindow: false,
    sendsPerSecond: SENDS_PER_SECOND,
    get accepted() {
      return [...accepted.values()];
    },
    async send(message): Promise<SendReceipt> {
      if (message.signal.aborted)
        throw new ChannelError({
          failure: 'outage',
          code: 'cancelled',
          message: 'the attempt was cancelled before the call: nothing was sent',
        });
      await onSend?.(message);
      if (!accepted.has(message.reference)) accepted.set(message.reference, message);
      return { providerId: simulatedId(message.reference) };
    },
    findSent({ reference }): Promise<SentLookup> {
      return Promise.resolve(
        accepted.has(reference) ? { found: 'yes', providerId: simulatedId(reference) } : { found: 'no' },
      );
    },
    close: () => Promise.resolve(),
    handOff: () => Promise.resolve(),
    addNote: () => Promise.resolve(),
  };
}

/** The id a message with this reference has, once sent. */
function simulatedId(reference: string): string {
  return `simulated.${reference}`;
}
