import assert from 'node:assert/strict';
import type { OutgoingMessage } from '../../../src/channels/channel.ts';
import { ChannelError } from '../../../src/channels/channel-error.ts';
import { createGenericChannel } from '../../../src/channels/generic/generic-channel.ts';
import { startCrmServer, type RunningCrm } from '../../../src/channels/simulated/crm-server.ts';
import { SECRET } from '../../support/receiver.ts';

const to = { tenant: 'acme', conversation: '42', address: 'ana' };
const SIGNAL = new AbortController().signal;

describe('a CRM’s own server as a channel', () => {
  let crm: RunningCrm;
  beforeEach(async () => void (crm = await startCrmServer({ secret: SECRET, conversations: ['42'] })));
  afterEach(async () => crm.close());

  const channelTo = (url = crm.url, signingSecret = SECRET) =>
    createGenericChannel({ url, signingSecret, hasServiceWindow: false, sendsPerSecond: 20 });
  const message = (reference: string, over: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
    to,
    reference,
    content: { kind: 'text', text: 'How many rooms?' },
    signal: SIGNAL,
    ...over,
  });
  const find = async (reference: string) =>
    channelTo().findSent({ to, reference, text: null, since: '', signal: SIGNAL });

  async function failure(sending: Promise<unknown>): Promise<ChannelError> {
    const error: unknown = await sending.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof ChannelError, String(error));
    return error;
  }

  it('sends a message once for each reference, and finds it by that', async () => {
    const { providerId } = await channelTo().send(message('r1'));
    assert.deepEqual(await channelTo().send(message('r1')), { providerId });
    assert.deepEqual(
      crm.entries.get('42')?.map(({ id, text, reference }) => [id, text, reference]),
      [[providerId, 'How many rooms?', 'r1']],
    );
    assert.deepEqual(await find('r1'), { found: 'yes', providerId });
    assert.deepEqual(await find('r2'), { found: 'no' });
  });

  it('does not know the fate of a message whose answer was lost, and can ask for it', async () => {
    crm.loseNextAnswer();
    assert.equal((await failure(channelTo().send(message('r1')))).failure, 'unknown_fate');
    assert.equal((await find('r1')).found, 'yes');
  });

  it('hands over, leaves notes once, closes, and sends templates', async () => {
    const channel = channelTo();
    const template = { name: 'hello', language: 'en', parameters: ['Ana'] };
    await channel.send(message('r1', { content: { kind: 'template', template } }));
    for (const reference of ['n1', 'n1']) {
      await channel.addNote(to, { text: 'a note', reference }, SIGNAL);
      await channel.close(to, SIGNAL);
    }
    await channel.handOff(to, { note: 'asks for a price', team: 'sales' }, SIGNAL);
    assert.deepEqual(
      crm.entries.get('42')?.map((one) => [one.text, one.private]),
      [
        [null, false],
        ['a note', true],
        ['asks for a price', true],
      ],
    );
    assert.deepEqual([...crm.closed], ['42']);
  });

  for (const [status, code, failureOf] of [
    [401, 'bad_signature', 'unauthorized'],
    [404, 'conversation_not_found', 'permanent'],
    [422, 'unreachable', 'unreachable'],
    [422, 'window_closed', 'window_closed'],
    [422, 'marketing_stopped', 'marketing_stopped'],
    [400, 'invalid', 'permanent'],
    [302, 'moved', 'permanent'],
    [429, 'rate_limited', 'rate_limited'],
    [503, 'nothing_done', 'outage'],
    [503, 'gateway', 'unknown_fate'],
    [500, 'internal', 'unknown_fate'],
  ] as const)
    it(`takes ${status} ${code} for ${failureOf}`, async () => {
      crm.refuseNext({ status, body: { code, detail: 'because' }, retryAfter: 7 });
      const error = await failure(channelTo().send(message('r1')));
      assert.deepEqual([error.failure, error.code, error.retryAfterMs], [failureOf, code, 7_000]);
      assert.deepEqual(crm.entries.get('42'), []);
    });

  it('takes an answer outside the contract for a fate it does not know', async () => {
    crm.refuseNext({ status: 200, body: { ok: true } });
    assert.equal((await failure(channelTo().send(message('r1')))).failure, 'unknown_fate');
  });

  it('is unauthorized with another secret, and an outage when nobody is there', async () => {
    const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    assert.equal((await failure(channelTo(crm.url, other).send(message('r1')))).failure, 'unauthorized');
    const gone = await startCrmServer({ secret: SECRET, conversations: [] });
    await gone.close();
    assert.equal((await failure(channelTo(gone.url).send(message('r1')))).failure, 'outage');
    const cancelled = message('r1', { signal: AbortSignal.abort() });
    assert.equal((await failure(channelTo().send(cancelled))).failure, 'outage');
  });
});
