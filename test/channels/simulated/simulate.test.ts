import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import { createChatwootChannel } from '../../../src/channels/chatwoot/chatwoot-channel.ts';
import { ChatwootConfig } from '../../../src/channels/chatwoot/config.ts';
import { ChannelConfig } from '../../../src/channels/config.ts';
import { createChannels } from '../../../src/channels/registry.ts';
import { simulate } from '../../../src/channels/simulated/simulate.ts';
import type { SimulateOptions } from '../../../src/channels/simulated/stage.ts';
import { createWebhooks } from '../../../src/channels/webhooks.ts';
import type { TenantId } from '../../../src/domain/ids.ts';
import { startReceiver, type Receiver } from '../../support/receiver.ts';
import { until } from '../../support/until.ts';

const ACME = 'acme' as TenantId;

describe('a simulated provider at a prompt', () => {
  let attache: Receiver;
  before(async () => {
    attache = await startReceiver();
    // What Meta takes for an answer.
    attache.answer({ status: 200 });
  });
  beforeEach(() => void attache.received.splice(0));
  after(() => attache.close());

  /** What was printed, and how to type. */
  function play(of: Pick<SimulateOptions, 'kind'> & Partial<SimulateOptions>) {
    const input = new PassThrough();
    let printed = '';
    const out = (text: string) => void (printed += text);
    const url = new URL(attache.url).origin;
    const ended = simulate({ url, tenant: 'acme', port: 0, ...of }, { out, lines: createInterface({ input }) });
    return {
      type: (line: string) => void input.write(`${line}\n`),
      shows: async (pattern: RegExp) => until(String(pattern), () => pattern.exec(printed) ?? undefined),
      channel: async () => {
        const [block] = await until('the channel', () => /\{[^]*?\n {2}\}/.exec(printed) ?? undefined);
        return ChannelConfig.parse(JSON.parse(block));
      },
      async end() {
        input.end();
        await ended;
      },
    };
  }
  const posted = async (count: number) => {
    await until(`${count} webhooks`, () => attache.received.length >= count);
    return attache.received;
  };

  for (const kind of ['whatsapp', 'chatwoot', 'crm'] as const)
    it(`of ${kind}: what is typed is said by a customer, and what is sent is shown`, async () => {
      const played = play({ kind });
      const channel = await played.channel();
      played.type('Hi, how much is it?');
      const count = kind === 'chatwoot' ? 2 : 1;
      const webhooks = createWebhooks({ acme: { channels: [channel] } });
      const kindOfHook = channel.kind as 'whatsapp' | 'chatwoot' | 'generic';
      const told = (await posted(count)).flatMap(({ body, headers }) => {
        const parsed = webhooks[kindOfHook].receive(
          ACME,
          Buffer.from(body),
          new Headers(headers as Record<string, string>),
        );
        assert.ok('items' in parsed, JSON.stringify(parsed));
        assert.deepEqual(parsed.unreadable, []);
        return parsed.items.map(({ event }) => event);
      });
      const inbound = told.at(-1);
      assert.equal(inbound?.type, 'message.inbound');
      if (kind !== 'whatsapp') assert.equal(told[0]?.type, 'conversation.opened', 'what rules attach agents on');
      const [ours] = createChannels({ acme: { channels: [channel] } }).list('acme');
      const address = kind === 'whatsapp' ? '5531980000001' : 'contact:7';
      await ours?.send({
        to: { tenant: 'acme', conversation: '1', address },
        ...{ reference: 'r', content: { kind: 'text', text: 'Two hundred' }, signal: new AbortController().signal },
      });
      await played.shows(/→ .*Two hundred/);
      played.type('/nonsense');
      await played.shows(/there is no \/nonsense; there is .*\/human/);
      played.type('/human I am Rui');
      await posted(count + 2 - (kind === 'crm' ? 1 : 0));
      await played.end();
    });

  it('of a CRM: tells twice as often as asked for, under one id, and gives a conversation back', async () => {
    const played = play({ kind: 'crm', noise: { seed: 1, duplicated: 1, late: 0, lateByMs: 0, dropped: 0 } });
    await played.channel();
    played.type('/handback');
    const told = (await posted(2)).map(({ body }) => JSON.parse(body) as { id: string; type: string; data: object });
    assert.deepEqual(told[0], told[1]);
    assert.deepEqual([told[0]?.type, told[0]?.data], ['conversation.assigned', { to: 'agent' }]);
    await played.end();
  });

  it('of Chatwoot: sends several pictures in one message, and one that comes after its message', async () => {
    const played = play({ kind: 'chatwoot' });
    await played.channel();
    for (const line of ['/photo 3', '/late']) played.type(line);
    const told = (await posted(4)).map(({ body }) => JSON.parse(body) as { event: string; attachments?: object[] });
    assert.deepEqual(
      told.map(({ event, attachments }) => [event, attachments?.length ?? 0]),
      [
        ['conversation_created', 0],
        ['message_created', 3],
        ['message_created', 0],
        ['message_updated', 1],
      ],
    );
    await played.end();
  });

  it('of WhatsApp: refuses with Meta’s code, holds and turns round what it posts', async () => {
    const played = play({ kind: 'whatsapp' });
    const channel = await played.channel();
    const [ours] = createChannels({ acme: { channels: [channel] } }).list('acme');
    played.type('/refuse 131026');
    played.type('/hold');
    for (const text of ['one', 'two']) played.type(text);
    played.type('/release reversed');
    const [first] = await posted(2);
    assert.match(first?.body ?? '', /two/);
    const send = ours?.send({
      to: { tenant: 'acme', conversation: '1', address: '5531980000001' },
      ...{ reference: 'r', content: { kind: 'text', text: 'Hi' }, signal: new AbortController().signal },
    });
    await assert.rejects(send ?? Promise.resolve(), { failure: 'unreachable' });
    await played.end();
  });

  it('of WhatsApp: has a message fail that was taken, which it has not called delivered', async () => {
    const played = play({ kind: 'whatsapp' });
    const [ours] = createChannels({ acme: { channels: [await played.channel()] } }).list('acme');
    await ours?.send({
      to: { tenant: 'acme', conversation: '1', address: '5531980000001' },
      ...{ reference: 'r', content: { kind: 'text', text: 'Hi' }, signal: new AbortController().signal },
    });
    await posted(1);
    played.type('/failed 131000');
    const told = (await posted(2)).map(({ body }) => /"status":"(\w+)"/.exec(body)?.[1]);
    assert.deepEqual(told, ['sent', 'failed']);
    await played.end();
  });

  it('of Chatwoot: the same seed loses and doubles the same webhooks, and all of it is there to be asked for', async () => {
    const noise = { seed: 3, duplicated: 0.3, late: 0, lateByMs: 0, dropped: 0.3 };
    const bodies: string[][] = [];
    for (let twice = 0; twice < 2; twice += 1) {
      attache.received.splice(0);
      const played = play({ kind: 'chatwoot', noise });
      const channel = ChatwootConfig.parse(await played.channel());
      for (let n = 0; n < 12; n += 1) played.type(`m${n}`);
      const signal = new AbortController().signal;
      const inAll = async () => {
        const [since, until] = [-60_000, 0].map((ago) => new Date(Date.now() + ago).toISOString()) as [string, string];
        const memory = { of: () => Promise.resolve(null), keep: () => Promise.resolve() };
        const query = { tenant: ACME, since, until, memory, signal };
        let count = 0;
        for await (const { event } of createChatwootChannel(channel).recent?.(query) ?? [])
          if (event.type === 'message.inbound') count += 1;
        return count === 12;
      };
      await until('all of them', inAll);
      await played.end();
      bodies.push(attache.received.map(({ body }) => String((JSON.parse(body) as { content?: string }).content)));
    }
    const [first = [], second = []] = bodies;
    assert.deepEqual(first, second);
    assert.ok(new Set(first).size < 13 && first.length > new Set(first).size, first.join());
  });
});
