/** An agent that answers every message with what it heard, once: whatever is lost or doubled shows in its words. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { say } from '../../src/agents/effects.ts';
import { reschedule } from '../../src/agents/outcomes.ts';

export const parrotAgent = defineAgent({
  key: 'parrot',
  version: 1,
  title: 'Repeats what it hears',
  answers: true,
  attachesTo: 'conversation',
  /** `thinksMs`: so long, so that things happen meanwhile. `isMute`: it only counts. */
  config: z.strictObject({ thinksMs: z.int().default(0), isMute: z.boolean().default(false) }),
  state: z.strictObject({ heard: z.int() }),
  initialState: () => ({ heard: 0 }),
  wakeOn: ['message.inbound'],
  policy: { debounce: { quiet: '0s', max: '0s' }, sendsPerMinute: 600, maxMessages: 1_000, onUnknownSend: 'resend' },
  async tick({ config, state, events, signal }) {
    if (config.thinksMs > 0) await sleep(config.thinksMs, undefined, { signal });
    const heard = events.flatMap((event) =>
      event.type === 'message.inbound' && event.data.content.kind === 'text' ? [event.data.content.text] : [],
    );
    return reschedule({
      in: '30d',
      state: { heard: state.heard + heard.length },
      effects: heard.length === 0 || config.isMute ? [] : [say(`heard ${heard.join(' ')}`)],
    });
  },
});
