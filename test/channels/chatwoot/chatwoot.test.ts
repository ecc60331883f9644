import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { Channel, OutgoingMessage } from '../../../src/channels/channel.ts';
import { ChannelError } from '../../../src/channels/channel-error.ts';
import { createChatwootChannel } from '../../../src/channels/chatwoot/chatwoot-channel.ts';
import { ChatwootConfig } from '../../../src/channels/chatwoot/config.ts';
import { startChatwootSimulator } from '../../../src/channels/simulated/chatwoot-server.ts';
import type { ChatwootSimulator } from '../../../src/channels/simulated/chatwoot-simulator.ts';
import { createWebhooks } from '../../../src/channels/webhooks.ts';
import type { TenantId } from '../../../src/domain/ids.ts';

const TENANT = 'acme' as TenantId;
const signal = new AbortController().signal;
const to = { tenant: TENANT, conversation: '42', address: 'contact:7' };

interface Told {
  readonly type: string;
  readonly id: string;
  readonly subject: string;
  readonly data: { readonly [field: string]: unknown };
}

describe('a Chatwoot account', () => {
  let told: Told[];
  let receiver: Server;
  let simulator: ChatwootSimulator;
  let channel: Channel;

  beforeEach(async () => {
    told = [];
    const config = (url: string) =>
      ChatwootConfig.parse({ kind: 'chatwoot', url, accountId: 1, apiToken: 'token', webhookSecret: 'secret' });
    const webhooks = createWebhooks({ acme: { channels: [config('http://chatwoot.invalid')] } });
    receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const result = webhooks.chatwoot.receive(
          TENANT,
          Buffer.concat(chunks),
          new Headers(request.headers as Record<string, string>),
        );
        assert.ok('items' in result, JSON.stringify(result));
        assert.deepEqual(result.unreadable, []);
        told.push(...result.items.map((item) => item.event as unknown as Told));
        response.end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const { port } = receiver.address() as { port: number };
    simulator = await startChatwootSimulator({
      accountId: 1,
      apiToken: 'token',
      webhookSecret: 'secret',
      webhookUrl: `http://127.0.0.1:${port}/`,
      teams: ['Sales'],
    });
    channel = createChatwootChannel(config(simulator.url), { answerTimeoutMs: 2_000 });
  });
  afterEach(async () => {
    await simulator.close();
    receiver.closeAllConnections();
    receiver.close();
  });

  const text = (words: string, reference = 'ref-1'): OutgoingMessage => ({
    to,
    reference,
    content: { kind: 'text', text: words },
    signal,
  });
  const shown = () =>
    simulator.messages
      .filter((message) => !message.private && message.type !== 'incoming')
      .map((message) => message.content);
  const failure = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => assert.fail('it succeeded'),
      (caught: unknown) => caught,
    );
    assert.ok(error instanceof ChannelError, String(error));
    return [error.failure, error.code];
  };

  it('tells what a customer says, in the conversation that Chatwoot itself names', async () => {
    const { id } = await simulator.customerSays(42, 'Hi, how much is it?');
    assert.deepEqual(
      told.map((event) => [event.type, event.subject]),
      [
        ['conversation.opened', 'conversation/42'],
        ['message.inbound', 'conversation/42'],
      ],
    );
    assert.deepEqual(told[1]?.data, {
      providerId: String(id),
      contact: { address: 'contact:7', name: 'Ana Lima' },
      content: { kind: 'text', text: 'Hi, how much is it?' },
    });
  });

  it('tells our own message back with our reference, before our call has returned', async () => {
    await simulator.customerSays(42, 'Hi');
    const { providerId } = await channel.send(text('Hello'));
    const echo = told.at(-1);
    assert.deepEqual(
      [echo?.type, echo?.data['providerId'], echo?.data['reference']],
      ['message.outbound', providerId, 'ref-1'],
    );
  });

  it('tells a reply of a person as a human’s, from the composer and from their phone; a note as private; a greeting as a machine’s', async () => {
    await simulator.customerSays(42, 'Hi');
    await simulator.robotSays(42, 'We are closed');
    await simulator.humanReplies(42, 'Good morning');
    await simulator.humanReplies(42, 'From my phone', { fromPhone: true });
    await simulator.humanReplies(42, 'Careful with this one', { private: true });
    const outbound = told
      .filter((event) => event.type === 'message.outbound')
      .map((event) => [event.data['author'], event.data['private']]);
    assert.deepEqual(outbound, [
      ['automation', false],
      ['human', false],
      ['human', false],
      ['human', true],
    ]);
  });

  it('tells who holds a conversation: assigned or opened, a human; pending again, an agent; unassigned changes nothing; resolved, closed', async () => {
    await simulator.customerSays(42, 'Hi');
    told.length = 0;
    await simulator.assign(42, 'Rui');
    await simulator.assign(42, null);
    await simulator.setStatus(42, 'open');
    await simulator.setStatus(42, 'pending');
    await simulator.setStatus(42, 'resolved');
    await simulator.setStatus(42, 'open');
    assert.deepEqual(
      told.map((event) => [event.type, event.data['to']]),
      [
        ['conversation.assigned', 'human'],
        ['conversation.assigned', 'human'],
        ['conversation.assigned', 'agent'],
        ['conversation.closed', undefined],
        ['conversation.opened', undefined],
      ],
    );
    assert.deepEqual(told[0]?.data['by'], 'Rui');
    assert.equal(new Set(told.map((event) => event.id)).size, 5);
  });

  it('is not written to while a person is assigned, even if their webhook never came', async () => {
    await simulator.customerSays(42, 'Hi');
    simulator.loseWebhooks(true);
    await simulator.assign(42, 'Rui');
    assert.deepEqual(await failure(channel.send(text('Hello'))), ['permanent', 'held_by_human']);
    assert.deepEqual(shown(), []);
  });

  it('of an agent bot is not written to once people have opened it, even if their webhook never came', async () => {
    const config = { kind: 'chatwoot', url: simulator.url, accountId: 1, apiToken: 'token', webhookSecret: 'secret' };
    const ofBot = createChatwootChannel(ChatwootConfig.parse({ ...config, agentBot: true }));
    await simulator.customerSays(42, 'Hi');
    await ofBot.send(text('Hello'));
    simulator.loseWebhooks(true);
    await simulator.setStatus(42, 'open');
    assert.deepEqual(await failure(ofBot.send(text('Hello again', 'ref-2'))), ['permanent', 'held_by_human']);
    assert.deepEqual(shown(), ['Hello']);
    await simulator.setStatus(42, 'pending');
    await ofBot.send(text('Back again', 'ref-3'));
    assert.equal(shown().length, 2);
  });

  it('is not written to in a closed conversation, or in free text once its inbox takes none', async () => {
    await simulator.customerSays(42, 'Hi');
    simulator.setCanReply(42, false);
    assert.deepEqual(await failure(channel.send(text('Hello'))), ['window_closed', 'can_reply']);
    await channel.send({
      ...text(''),
      content: { kind: 'template', template: { name: 'again', language: 'en', parameters: ['Ana'] } },
    });
    await simulator.setStatus(42, 'resolved');
    assert.deepEqual(await failure(channel.send(text('Hello'))), ['permanent', 'conversation_closed']);
    assert.equal(shown().length, 1);
  });

  it('is asked before anything is sent again: a message it took before the connection broke is found by our reference (D10)', async () => {
    await simulator.customerSays(42, 'Hi');
    const since = new Date().toISOString();
    const lookup = (reference: string) => channel.findSent({ to, reference, text: 'Hello', since, signal });
    simulator.failNext({ kind: 'cut', taken: false });
    assert.equal((await failure(channel.send(text('Hello'))))[0], 'unknown_fate');
    assert.deepEqual(await lookup('ref-1'), { found: 'no' });
    simulator.failNext({ kind: 'cut', taken: true });
    assert.equal((await failure(channel.send(text('Hello'))))[0], 'unknown_fate');
    for (let n = 0; n < 25; n += 1) await simulator.customerSays(42, `more ${n}`);
    assert.deepEqual(await lookup('ref-1'), { found: 'yes', providerId: '2' });
    assert.deepEqual(await lookup('ref-2'), { found: 'no' });
  });

  it('is handed a conversation by opening it, with the team and a private note', async () => {
    await simulator.customerSays(42, 'A person, please');
    await channel.handOff?.(to, { note: 'Asks for a person', team: 'sales' }, signal);
    assert.deepEqual([simulator.conversation(42).status, simulator.conversation(42).team], ['open', 'Sales']);
    assert.deepEqual(simulator.messages.at(-1)?.private, true);
    await channel.handOff?.(to, { note: 'Asks again', team: 'Nobody' }, signal);
    assert.match(simulator.messages.at(-1)?.content ?? '', /Asks again[^]*no team "Nobody"/);
  });

  it('closes and takes private notes', async () => {
    await simulator.customerSays(42, 'Thanks');
    await channel.addNote?.(to, { text: 'Happy', reference: 'ref-n' }, signal);
    await channel.close?.(to, signal);
    assert.deepEqual([simulator.conversation(42).status, simulator.messages.at(-1)?.private], ['resolved', true]);
  });

  it('that refuses is understood: our token, a conversation that is gone, a limit, a fault of its own', async () => {
    await simulator.customerSays(42, 'Hi');
    const refused = async (status: number) => {
      simulator.failNext({ kind: 'refuse', status });
      return (await failure(channel.send(text('Hello'))))[0];
    };
    assert.deepEqual(
      [await refused(401), await refused(422), await refused(429), await refused(502)],
      ['unauthorized', 'permanent', 'rate_limited', 'unknown_fate'],
    );
    assert.deepEqual(await failure(channel.send({ ...text('Hello'), to: { ...to, conversation: '43' } })), [
      'permanent',
      'http_404',
    ]);
  });
});
