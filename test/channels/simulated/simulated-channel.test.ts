import assert from 'node:assert/strict';
import type { OutgoingMessage } from '../../../src/channels/channel.ts';
import { ChannelError } from '../../../src/channels/channel-error.ts';
import { createSimulatedChannel } from '../../../src/channels/simulated/simulated-channel.ts';

const message = (reference: string, signal = new AbortController().signal): OutgoingMessage => ({
  to: { tenant: 'demo', conversation: '1', address: 'ana' },
  reference,
  content: { kind: 'text', text: 'Hi' },
  signal,
});
const lookup = (reference: string) => ({
  to: message(reference).to,
  reference,
  text: 'Hi',
  since: '2026-01-01T00:00:00Z',
  signal: new AbortController().signal,
});

describe('the simulated channel', () => {
  it('sends the same reference once, however often it is asked, also in another process', async () => {
    const channel = createSimulatedChannel();
    const first = await channel.send(message('r1'));
    assert.deepEqual(await channel.send(message('r1')), first);
    assert.deepEqual(await createSimulatedChannel().send(message('r1')), first);
    assert.notDeepEqual(await channel.send(message('r2')), first);
    assert.deepEqual(
      channel.accepted.map((sent) => sent.reference),
      ['r1', 'r2'],
    );
  });

  it('knows exactly what it has sent', async () => {
    const channel = createSimulatedChannel();
    const { providerId } = await channel.send(message('r1'));
    assert.deepEqual(await channel.findSent(lookup('r1')), { found: 'yes', providerId });
    assert.deepEqual(await channel.findSent(lookup('r2')), { found: 'no' });
  });

  it('sends nothing for a cancelled attempt, nor what its watcher refuses', async () => {
    const watched = createSimulatedChannel({
      onSend() {
        throw new ChannelError({ failure: 'outage', code: 'test', message: 'not now' });
      },
    });
    await assert.rejects(watched.send(message('r1')), { failure: 'outage', code: 'test' });
    await assert.rejects(watched.send(message('r1', AbortSignal.abort())), { failure: 'outage', code: 'cancelled' });
    assert.deepEqual(watched.accepted, []);
  });
});
