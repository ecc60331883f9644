/** "Typing…" while an agent thinks: a courtesy on the side, which no wake-up waits for and no failure of which matters. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, ConversationAddress } from '../channels/channel.ts';

/** A tick that is faster than this answers by itself; an indicator would arrive behind its answer. */
const SLOW_MS = 500;
/** WhatsApp shows it for 25 s (its typing indicator page); renewed a little before. */
const RENEW_MS = 20_000;
const CALL_TIMEOUT_MS = 5_000;

export interface Typing {
  readonly channel: Channel | undefined;
  readonly to: ConversationAddress;
  /** Provider id of the message that is being answered. */
  readonly inReplyTo: string;
  /** May the agent speak here at all? Asked before each. */
  readonly isAllowed: () => Promise<boolean>;
}

/** Shows it until the signal aborts. Never throws; resolves when nothing of it is on its way any more. */
export async function showTyping({ channel, to, inReplyTo, isAllowed }: Typing, until: AbortSignal): Promise<void> {
  if (channel?.showTyping === undefined) return;
  try {
    await sleep(SLOW_MS, undefined, { signal: until });
    while (await isAllowed()) {
      until.throwIfAborted();
      await channel.showTyping(to, inReplyTo, AbortSignal.any([until, AbortSignal.timeout(CALL_TIMEOUT_MS)]));
      await sleep(RENEW_MS, undefined, { signal: until });
    }
  } catch {
    // Thought out, cancelled, or the provider would not: the answer itself is what counts.
  }
}
