import assert from 'node:assert/strict';
import type { Channel } from '../../src/channels/channel.ts';
import { showTyping } from '../../src/activities/typing.ts';

const to = { tenant: 'acme', conversation: '42', address: '5511' };

function typing(isAllowed: () => Promise<boolean>, fails = false) {
  const shown: string[] = [];
  const first = new AbortController();
  const channel = {
    showTyping: async (_: unknown, inReplyTo: string) => {
      shown.push(inReplyTo);
      first.abort();
      if (fails) throw new Error('the provider is down');
    },
  } as unknown as Channel;
  return { shown, first, typing: { channel, to, inReplyTo: 'wamid.1', isAllowed } };
}

describe('the typing indicator', () => {
  it('is shown while an agent thinks, in answer to the customer’s message', async () => {
    const { shown, first, typing: one } = typing(async () => true);
    await showTyping(one, first.signal);
    assert.deepEqual(shown, ['wamid.1']);
  });

  it('is not shown where a human came in, nor once the tick is over', async () => {
    const taken = typing(async () => false);
    await showTyping(taken.typing, taken.first.signal);
    const over = typing(async () => true);
    over.first.abort();
    await showTyping(over.typing, over.first.signal);
    assert.deepEqual([taken.shown, over.shown], [[], []]);
  });

  it('is nobody’s problem when the provider would not', async () => {
    const { first, typing: one } = typing(async () => true, true);
    await showTyping(one, first.signal);
  });
});
