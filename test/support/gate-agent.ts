/** Agents whose every tick asks a gate of the test's what to do, and waits at it: slow for exactly as long as wanted. */
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { say } from '../../src/agents/effects.ts';
import { reschedule } from '../../src/agents/outcomes.ts';
import { parseAgentKey } from '../../src/domain/ids.ts';

export const gateAgent = defineAgent({
  key: 'gate',
  version: 1,
  title: 'Waits at a gate',
  answers: true,
  attachesTo: 'conversation',
  config: z.strictObject({ gate: z.url() }),
  state: z.strictObject({ passed: z.int() }),
  initialState: () => ({ passed: 0 }),
  wakeOn: ['message.inbound'],
  policy: { debounce: { quiet: '0s', max: '0s' } },
  async tick({ config, state, conversation, tick, signal }) {
    const response = await fetch(`${config.gate}/${conversation?.id ?? ''}/${tick}`, { signal });
    const text = await response.text();
    return reschedule({ in: '30d', state: { passed: state.passed + 1 }, effects: text === '' ? [] : [say(text)] });
  },
});

/** The same as an agent with a model: its ticks have the other queue, of few slots. */
export const thinkerAgent = { ...gateAgent, key: parseAgentKey('thinker'), model: true };
